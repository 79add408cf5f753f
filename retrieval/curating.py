"""Saving a change of anchors and deciding stored passages anew, as one thing that holds or does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from corpus.rerouting import reroute_queue
from routing.curation import change_apply
from teams.access import Right
from teams.models import Workspace

if TYPE_CHECKING:
    from corpus.reroute_models import Reroute
    from routing.changes import Change
    from routing.models import Revision
    from teams.models import User


def change_save(
    *, change: Change, author: User, reason: str, expected: int, reroute: bool
) -> tuple[Revision, list[Reroute]]:
    """Make the change, and with `reroute` start the job in the workspaces that it is about and `author`
    curates.

    Raises as `change_apply` does, and RerouteRefused while a job runs there; then nothing was changed.
    """
    with transaction.atomic():
        revision = change_apply(change=change, author=author, reason=reason, expected=expected)
        jobs = []
        if reroute:
            said = f"r{revision.pk} {reason.strip()}"
            for workspace in workspaces_touched(change, author):
                jobs.append(reroute_queue(workspace, author, said))
    return revision, jobs


def workspaces_touched(change: Change, user: User) -> Any:
    """The workspaces of `user`'s that a change is about."""
    curated = Workspace.objects.visible_to(user, Right.CURATE)
    return curated if change.workspace is None else curated.filter(pk=change.workspace)
