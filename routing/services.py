"""The room's doors: route a question, route chunks, keep what the stores hold, keep revisions."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.db.models import Q

from engines.language import content_words, detect, fold
from engines.registry import embedder
from routing.decision import decide
from routing.evidence import combine, probed
from routing.models import Anchor, Revision, StoreTerm, Thresholds
from routing.near import marked
from routing.tabularity import tabularity
from routing.values import AnchorSet, Bounds, Decision

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from routing.values import Evidence, Probe, TermDraft
    from teams.models import User, Workspace

LONGEST_TERM = 5


def anchors_in_force(workspace: Workspace) -> AnchorSet:
    """Shared and own anchors of the workspace under the newest revision; one query when unchanged."""
    revision = Revision.objects.values_list("pk", flat=True).first() or 0
    return _anchors(workspace.pk, str(embedder().identity), revision)


@functools.lru_cache(maxsize=64)
def _anchors(workspace_id: uuid.UUID, identity: str, revision: int) -> AnchorSet:
    rows = list(
        Anchor.objects.filter(
            Q(workspace=None) | Q(workspace_id=workspace_id), active=True, route__enabled=True
        )
    )
    stale = [row for row in rows if row.vector is None or row.embedder != identity]
    if stale:
        vectors = embedder().queries([row.text for row in stale])
        for row, vector in zip(stale, vectors, strict=True):
            row.vector, row.embedder = vector, identity
        Anchor.objects.bulk_update(stale, ["vector", "embedder"])
    matrix = np.zeros((0, embedder().identity.dimension), dtype=np.float32)
    if rows:
        matrix = np.vstack([np.asarray(row.vector, dtype=np.float32) for row in rows])
    routes = tuple(row.route_id for row in rows)
    return AnchorSet.of(matrix, routes, tuple(row.text for row in rows), revision)


def bounds_in_force(identity: str) -> Bounds:
    """The newest thresholds of this embedder; the file's when none were fitted yet."""
    row = Thresholds.objects.filter(embedder=identity).first()
    if row is not None:
        return Bounds(row.tau_high, row.tau_low, row.delta)
    held = _default_bounds()
    return Bounds(**held.get(identity, held["default"]))


@functools.cache
def _default_bounds() -> dict[str, dict[str, float]]:
    path = Path(__file__).parent / "data" / "thresholds.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def question_route(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    probes: Mapping[str, Callable[[], Probe]] | None = None,
    documents: Collection[uuid.UUID] | None = None,
) -> Decision:
    """Where the question goes, by the anchors, bounds and store terms that `user` may see.

    With `documents` only the terms of those count.

    `probes` ask a store whether it could answer; like the terms they are asked in the gray zone only.
    """

    def evidence() -> tuple[Evidence, ...]:
        named = terms_named(workspace=workspace, user=user, text=text, documents=documents)
        return probed(combine(text, named), probes or {})

    return decide(
        vector,
        text,
        anchors_in_force(workspace),
        bounds_in_force(str(embedder().identity)),
        evidence=evidence,
    )


def chunks_route(
    *,
    workspace: Workspace,
    texts: Sequence[str],
    vectors: NDArray[np.float32],
) -> list[Decision]:
    """One decision per chunk, in order. `vectors` is (len(texts), d) with unit rows."""
    anchors, bounds = anchors_in_force(workspace), bounds_in_force(str(embedder().identity))
    return [
        marked(decide(vector, text, anchors, bounds, tabularity=tabularity(text)), bounds)
        for text, vector in zip(texts, vectors, strict=True)
    ]


def terms_named(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    documents: Collection[uuid.UUID] | None = None,
) -> list[tuple[str, str]]:
    """(route, name) of the store terms that stand in the question as whole words."""
    language = detect(text)
    words = fold(text).replace("?", " ").replace(",", " ").split()
    content = set(content_words(text, language))
    grams = {
        " ".join(words[start : start + length])
        for length in range(1, LONGEST_TERM + 1)
        for start in range(len(words) - length + 1)
    }
    wanted = [gram for gram in grams if content & set(gram.split())]
    rows = StoreTerm.objects.visible_to(user).filter(workspace=workspace, folded__in=wanted)
    if documents is not None:
        rows = rows.filter(document_id__in=documents)
    return list(rows.values_list("route_id", "text").distinct())


@transaction.atomic
def store_terms_replace(
    *, workspace: Workspace, document_id: uuid.UUID, terms: Iterable[TermDraft]
) -> None:
    """Make `terms` all that the stores are known to hold of this document."""
    store_terms_delete(document_id=document_id)
    rows = {
        (term.route, term.kind, fold(term.text)[:300]): term for term in terms if fold(term.text)
    }
    StoreTerm.objects.bulk_create(
        StoreTerm(
            workspace=workspace,
            route_id=route,
            document_id=document_id,
            kind=kind,
            text=term.text[:300],
            folded=folded,
        )
        for (route, kind, folded), term in rows.items()
    )


def store_terms_delete(*, document_id: uuid.UUID) -> None:
    StoreTerm.objects.filter(document_id=document_id).delete()


def decision_as_json(decision: Decision) -> dict[str, Any]:
    return asdict(decision)


@transaction.atomic
def revision_create(*, author: User | None, reason: str) -> Revision:
    """Record the anchors and thresholds as they stand now. Later decisions name this revision."""
    snapshot = {
        "anchors": list(
            Anchor.objects.values("route_id", "language", "text", "active", "workspace__slug")
        ),
        "thresholds": list(Thresholds.objects.values("embedder", "tau_high", "tau_low", "delta")),
    }
    return Revision.objects.create(author=author, reason=reason[:300], snapshot=snapshot)


def anchors_set_active(*, anchors: Iterable[Anchor], active: bool, author: User) -> int:
    """Switch anchors on or off as one revision. Gives how many there were."""
    with transaction.atomic():
        keys = [anchor.pk for anchor in anchors]
        Anchor.objects.filter(pk__in=keys).update(active=active)
        verb = "enabled" if active else "disabled"
        revision_create(author=author, reason=f"{len(keys)} anchors {verb}")
    return len(keys)
