"""Labelled questions: told by readers, reviewed by curators, fitted on and reported on."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from engines.language import detect, fold
from engines.registry import embedder
from routing.calibration import in_fit_half
from routing.models import LabelledQuestion, Route
from teams.access import Right, require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from teams.models import User, Workspace

State, Source = LabelledQuestion.State, LabelledQuestion.Source
TEXT_MOST = 2000


class LabelInvalid(Exception):
    """The question cannot be labelled so; the text says why."""


def split_of(folded: str) -> str:
    """Which half a question belongs to, by a hash of its folded text, so that the halves never change."""
    fit = in_fit_half(split_key(folded))
    return LabelledQuestion.Split.FIT if fit else LabelledQuestion.Split.REPORT


def split_key(folded: str) -> str:
    """The id under which `in_fit_half` knows a question."""
    return hashlib.sha256(folded.encode()).hexdigest()


def label_tell(
    *, workspace: Workspace, user: User, text: str, route: str, taken: str = ""
) -> LabelledQuestion:
    """ "Wrong route": `user` says that `route` is right for `text`. It waits for a curator's review.

    Said again it is the same row, and waits again if it was rejected. Raises PermissionDenied without the
    right to ask, and LabelInvalid.
    """
    require(user, workspace, Right.ASK)
    return _put(workspace, user, text, route, taken, Source.ANSWER, State.PENDING)


def label_add(*, workspace: Workspace, user: User, text: str, route: str) -> LabelledQuestion:
    """A curator's own labelled question: accepted at once. Raises PermissionDenied and LabelInvalid."""
    require(user, workspace, Right.CURATE)
    with transaction.atomic():
        row = _put(workspace, user, text, route, "", Source.CURATOR, State.PENDING)
        return label_review(label=row, user=user, accepted=True)


def _put(
    workspace: Workspace, user: User, text: str, route: str, taken: str, source: str, state: str
) -> LabelledQuestion:
    plain = " ".join(text.replace("\x00", "").split())
    if not plain or len(plain) > TEXT_MOST:
        raise LabelInvalid(_("A labelled question has 1 to %(n)s characters.") % {"n": TEXT_MOST})
    if not Route.objects.filter(pk=route, enabled=True).exists():
        raise LabelInvalid(_("There is no route “%(route)s”.") % {"route": route[:60]})
    folded = fold(plain)[:TEXT_MOST]
    row, made = LabelledQuestion.objects.get_or_create(
        workspace=workspace,
        folded=folded,
        route_id=route,
        defaults={
            "text": plain,
            "language": detect(plain),
            "taken": taken[:60],
            "split": split_of(folded),
            "source": source,
            "state": state,
            "author": user,
        },
    )
    if not made and row.state == State.REJECTED:
        row.state, row.author, row.reviewer, row.reviewed_at = state, user, None, None
        row.save(update_fields=["state", "author", "reviewer", "reviewed_at"])
    return row


def label_withdraw(*, label: LabelledQuestion, user: User) -> None:
    """Undo "wrong route": one's own that nobody reviewed yet goes. Raises LabelInvalid for any other."""
    gone, _rows = LabelledQuestion.objects.filter(
        pk=label.pk, author=user, state=State.PENDING
    ).delete()
    if not gone:
        raise LabelInvalid(_("This was reviewed already; ask a curator to change it."))


@transaction.atomic
def label_review(
    *, label: LabelledQuestion, user: User, accepted: bool, route: str = ""
) -> LabelledQuestion:
    """Accept the label, with another `route` if one is named, or reject it.

    A question has one accepted route: another one that was accepted for the same words is rejected.
    Raises PermissionDenied without the right to curate, and LabelInvalid.
    """
    require(user, label.workspace, Right.CURATE)
    same = LabelledQuestion.objects.select_for_update().filter(
        workspace=label.workspace, folded=label.folded
    )
    rows = {row.pk: row for row in same}
    row: LabelledQuestion | None = rows.get(label.pk)
    if row is None:
        raise LabelInvalid(_("This question is no longer here."))
    if accepted and route and route != row.route_id:
        _label_reroute(row, route, list(rows.values()))
    state = State.ACCEPTED if accepted else State.REJECTED
    if accepted:
        others = [one.pk for one in rows.values() if one.pk != row.pk]
        LabelledQuestion.objects.filter(pk__in=others).update(
            state=State.REJECTED, reviewer=user, reviewed_at=timezone.now()
        )
    row.state, row.reviewer, row.reviewed_at = state, user, timezone.now()
    row.save(update_fields=["state", "reviewer", "reviewed_at", "route"])
    return row


def _label_reroute(row: LabelledQuestion, route: str, rows: list[LabelledQuestion]) -> None:
    if not Route.objects.filter(pk=route, enabled=True).exists():
        raise LabelInvalid(_("There is no route “%(route)s”.") % {"route": route[:60]})
    taken = [one.pk for one in rows if one.route_id == route]
    LabelledQuestion.objects.filter(pk__in=taken).delete()
    row.route_id = route


def label_reopen(*, label: LabelledQuestion, user: User) -> None:
    """Undo a review: the question waits again. Raises PermissionDenied without the right to curate."""
    require(user, label.workspace, Right.CURATE)
    LabelledQuestion.objects.filter(pk=label.pk).update(
        state=State.PENDING, reviewer=None, reviewed_at=None
    )


def labels_counted(workspace: Workspace) -> list[int]:
    """How many questions of the workspace are in each state, in the order of `State`."""
    rows = LabelledQuestion.objects.filter(workspace=workspace).order_by().values("state")
    held = {row["state"]: row["n"] for row in rows.annotate(n=Count("pk"))}
    return [held.get(state, 0) for state in State.values]


def labels_accepted(workspace: Workspace) -> list[LabelledQuestion]:
    """The accepted questions of a workspace, each with a vector of the embedder in use.

    Raises EngineError where a vector is missing and there is no embedder.
    """
    rows = list(
        LabelledQuestion.objects.filter(workspace=workspace, state=State.ACCEPTED).order_by("pk")
    )
    identity = str(embedder().identity)
    stale = [row for row in rows if row.vector is None or row.embedder != identity]
    _vectors_fill(stale, identity)
    return rows


def _vectors_fill(stale: Sequence[LabelledQuestion], identity: str) -> None:
    if not stale:
        return
    vectors: Any = embedder().queries([row.text for row in stale])
    for row, vector in zip(stale, vectors, strict=True):
        row.vector, row.embedder = vector, identity
    LabelledQuestion.objects.bulk_update(stale, ["vector", "embedder"])
