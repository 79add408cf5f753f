"""The answer cache: per what a person may read, tied to the versions an answer stands on."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils import timezone
from pgvector.django import CosineDistance

from corpus.models import Document
from corpus.name_merges import merges_digest
from corpus.selectors import read_digest
from engines.language import fold, words
from engines.registry import embedder
from retrieval.cache_near import near as near_of
from retrieval.guard import EDITION, decide, key, signature
from retrieval.models import CachedAnswer
from routing.rules import revision_serving
from routing.services import terms_named

if TYPE_CHECKING:
    import uuid

    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User, Workspace

CANDIDATES = 20


def scope(workspace: Workspace, user: User, variant: str = "") -> str:
    """A digest of the versions that `user` may read in `workspace`: it changes with every change.

    `variant` is that of the question's options, since other options find other things. A version that
    gets new vectors counts as changed, and so do anchors and thresholds, names that are merged or
    separated and, where options are chosen, other tags.
    """
    digest = read_digest(workspace, user) + merges_digest(workspace.pk) + variant
    # Under other anchors the question may take another route.
    digest += f"r{revision_serving(workspace)}"
    if variant:
        # A filter by tag finds other passages once a document is tagged otherwise.
        tagged = Document.objects.visible_to(user).in_workspace(workspace).exclude(tags=[])
        digest += repr(list(tagged.order_by("pk").values_list("pk", "tags")))
    return hashlib.sha256(digest.encode()).hexdigest()


def recall(
    *,
    workspace: Workspace,
    user: User,
    question: str,
    vector: NDArray[np.float32],
    seen: str,
) -> CachedAnswer | None:
    """An answer given before to the very same question by what this person may read, else None.

    `seen` is the `scope` now. It covers every version, so an answer whose source changed is never found
    again.
    """
    same_words = " ".join(words(question))
    engine = str(embedder().identity)
    bound = near_of(engine)
    mine = _signature(workspace, user, question)
    held = (
        CachedAnswer.objects.visible_to(user)
        .filter(
            workspace=workspace,
            scope=seen,
            key=key(mine),
            embedder=engine,
        )
        # Of an entry that is not given, nothing long is read.
        .defer("vector", "versions")
        .annotate(distance=CosineDistance("vector", vector))
        .filter(Q(distance__lte=1 - bound) | Q(folded=same_words))
        .order_by("distance")[:CANDIDATES]
    )
    for row in held:
        if not _still(row, mine, user):
            continue
        same = row.folded == same_words
        if decide(mine, row.guard, same_words=same, cosine=1 - row.distance, near=bound).hit:
            found: CachedAnswer = row
            return found
    return None


def _still(row: CachedAnswer, mine: dict[str, list[str]], user: User) -> bool:
    """Whether the answer can be the same for this person and on this day: "my team", "this month"."""
    if mine["personal"] and row.user_id != user.pk:
        return False
    same_day: bool = timezone.localdate(row.created_at) == timezone.localdate()
    return same_day or not mine["today"]


def remember(
    *,
    workspace: Workspace,
    user: User,
    question: str,
    vector: NDArray[np.float32],
    parts: list[dict[str, Any]],
    answer: dict[str, Any],
    seen: str,
    variant: str = "",
) -> None:
    """Keep an answer for those who may read the same versions. Refusals are not kept.

    `seen` is the `scope` in which it was looked for. Where a document came, changed or went meanwhile it is
    not kept: it may stand on what is gone, or lack what has come. What the author can no longer find, as
    other versions are read now, goes at the same time, so that the table does not grow with every change
    of a document.
    """
    now = scope(workspace, user, variant)
    sweep(workspace=workspace, user=user, variant=variant, seen=now)
    if now != seen:
        return
    guard = _signature(workspace, user, question)
    CachedAnswer.objects.create(
        workspace=workspace,
        user=user,
        scope=seen,
        key=key(guard),
        variant=variant,
        question=question,
        folded=" ".join(words(question)),
        vector=vector,
        embedder=str(embedder().identity),
        guard=guard,
        versions=sorted({citation["version_id"] for citation in answer["citations"]}),
        parts=parts,
        answer=answer,
    )


def sweep(*, workspace: Workspace, user: User, variant: str, seen: str) -> None:
    """Drop the answers to `user` that are never given again: those from before what they may read changed
    (`seen` is the scope as it is now), and those that another edition of the guard has marked."""
    own = CachedAnswer.objects.filter(workspace=workspace, user=user, variant=variant)
    own.exclude(scope=seen, guard__contains={"edition": [EDITION]}).delete()


def forget(versions: list[uuid.UUID]) -> None:
    """Drop every cached answer that stands on one of the versions."""
    CachedAnswer.objects.filter(versions__overlap=versions).delete()


def _signature(workspace: Workspace, user: User, question: str) -> dict[str, list[str]]:
    named = terms_named(workspace=workspace, user=user, text=question)
    return signature(question, {fold(name) for _, name in named})
