"""One of each thing that curators and owners work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.models import Reroute
from routing.labelling import label_add
from routing.models import Anchor, Revision, Route
from routing.revisions import revision_create

if TYPE_CHECKING:
    from teams.models import User, Workspace


def curated(team: Workspace, owner: User) -> dict[str, int]:
    """One of each thing that curators work on, by the name of its key."""
    first = Route.objects.filter(enabled=True).first()
    assert first is not None
    anchor = Anchor.objects.filter(workspace=team).first() or Anchor.objects.create(
        workspace=team, route=first, language="en", text="Which kiln is hot?"
    )
    revision = Revision.objects.filter(workspace=team).first() or revision_create(
        author=owner, reason="made", workspace_id=team.pk
    )
    job = Reroute.objects.filter(workspace=team).first() or Reroute.objects.create(
        workspace=team, author=owner, reason="made", state="done"
    )
    label = label_add(workspace=team, user=owner, text="How hot is it?", route=first.pk)
    return {
        "anchor_id": anchor.pk,
        "revision_id": revision.pk,
        "reroute_id": job.pk,
        "label_id": label.pk,
    }
