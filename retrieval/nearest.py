"""The passages nearest to a question by cosine: exact, or through an index where a set is large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Case, F, FloatField, Value, When
from django.db.models.functions import Cast
from pgvector.django import CosineDistance, VectorField

from corpus import vector_index
from corpus.selectors import chunks_live
from engines.registry import embedder
from retrieval.filters import NOTHING, Filters
from retrieval.floor import background
from retrieval.planning import planned
from retrieval.readable import readable

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.readable import Readable
    from teams.models import User, Workspace

# So many passages weigh as much in the mean as what is usual for the embedder.
FEW = 20
# How many candidates HNSW looks at, and of which share of a set at least a filter must leave for it to
# be asked at all: docs/decisions/0011-vector-index.md.
EF, EF_MOST = 200, 1000
SHARE = 0.5
# Only a scan of the index, which goes on until enough rows are within the rights and filters.
BY_INDEX = {
    "hnsw.iterative_scan": "strict_order",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_sort": "off",
}


@dataclass(frozen=True, slots=True)
class Near:
    """A passage with its cosine distance in [0, 2], and the same less its language's mean distance."""

    pk: uuid.UUID
    distance: float
    centred: float


def nearest(
    *,
    workspace: Workspace,
    user: User,
    vector: NDArray[np.float32],
    many: int,
    centred: bool = True,
    filters: Filters = NOTHING,
    held: Readable | None = None,
) -> list[Near]:
    """The `many` nearest passages that `user` may see within `filters`, centred per language.

    A multilingual embedder puts passages in the question's own language nearer whatever they say, so
    the mean distance of each language is taken off (docs/decisions/0003-across-languages.md); of few
    passages the mean says little and is drawn towards what is usual for this embedder. Within one
    language that changes no order, so each language may have an index of its own. `vector` is (d,) with
    unit length; `held` is what `readable` gives for the same reader and filters, asked here when left
    out. Only passages with a vector of the embedder in force are ranked.
    """
    held = held or readable(workspace, user, filters)
    means = _means(held, vector)
    if not means:
        return []
    identity = embedder().identity
    rows = filters.apply(chunks_live(workspace, user)).filter(embedder=str(identity))
    found: list[Near] = []
    through = _through_index(workspace, user, filters, held)
    for language, near in _indexed(rows, vector, through, many).items():
        mine = rows.filter(language=language)
        if len(near) < min(many, held.means[language].count):
            # Filters left too little of what the index gave.
            found += _exact(mine, vector, {language: means[language]}, many, centred=False)
            continue
        found += [Near(pk, distance, distance - means[language]) for pk, distance in near]
    if others := {name: mean for name, mean in means.items() if name not in through}:
        if through:
            rows = rows.filter(language__in=list(others))
        found += _exact(rows, vector, others, many, centred=centred)
    found.sort(key=lambda near: (near.centred if centred else near.distance, near.pk))
    return found[:many]


def _means(held: Readable, vector: NDArray[np.float32]) -> dict[str, float]:
    """The mean distance by language, drawn towards the usual one."""
    usual = 1 - background(str(embedder().identity))
    return {
        language: (summed + FEW * usual) / (count + FEW)
        for language, (count, summed) in held.distances(vector).items()
    }


def _through_index(
    workspace: Workspace, user: User, filters: Filters, held: Readable
) -> frozenset[str]:
    """The languages whose passages are many, mostly within the filters, and indexed."""
    large = {language for language, mean in held.means.items() if mean.count >= vector_index.LEAST}
    if large and filters:
        every = readable(workspace, user).means
        large = {
            language
            for language in large
            if language in every and held.means[language].count >= SHARE * every[language].count
        }
    if not large:
        return frozenset()
    return vector_index.indexed(workspace.pk, str(embedder().identity), large)


def _exact(
    rows: Any, vector: NDArray[np.float32], means: dict[str, float], many: int, *, centred: bool
) -> list[Near]:
    """By a scan of all `rows`, whatever the filter leaves of them."""
    usual = Case(
        *(When(language=language, then=Value(mean)) for language, mean in means.items()),
        default=Value(0.0),
        output_field=FloatField(),
    )
    scanned = rows.annotate(distance=CosineDistance("embedding", vector))
    scanned = scanned.annotate(centred=F("distance") - usual)
    ordered = scanned.order_by("centred" if centred else "distance", "pk")
    return [Near(*row) for row in ordered.values_list("pk", "distance", "centred")[:many]]


def _indexed(
    rows: Any, vector: NDArray[np.float32], languages: Iterable[str], many: int
) -> dict[str, list[tuple[uuid.UUID, float]]]:
    """Keys and distances of the nearest in each of `languages`, each through its own index."""
    if not languages:
        return {}
    column = Cast("embedding", VectorField(dimensions=len(vector)))
    # A second key, such as the passage's own, would keep the index from being used.
    ordered = rows.annotate(distance=CosineDistance(column, vector)).order_by("distance")
    ordered = ordered.values_list("pk", "distance")
    ef = min(EF_MOST, max(EF, 2 * many))
    with planned({**BY_INDEX, "hnsw.ef_search": str(ef)}):
        return {name: list(ordered.filter(language=name)[:many]) for name in languages}
