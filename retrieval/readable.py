"""How many passages a reader may see and what each language's mean vector is, kept until they change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Avg, Count, Func, Q
from pgvector.django import VectorField

from corpus.selectors import chunks_live, read_digest
from engines.registry import embedder
from retrieval.filters import NOTHING, Filters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from teams.models import User, Workspace

KEPT = 64


@dataclass(frozen=True, slots=True)
class Mean:
    """Of the passages in one language: their number, and the (d,) mean of their unit vectors."""

    count: int
    vector: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Readable:
    """`total` passages, of which those of `means`, by language, have a vector of the embedder in force."""

    total: int
    means: dict[str, Mean] = field(default_factory=dict)

    @property
    def embedded(self) -> int:
        return sum(mean.count for mean in self.means.values())

    def distances(self, vector: NDArray[np.float32]) -> dict[str, tuple[int, float]]:
        """Count and sum of the cosine distances to `vector`, (d,) of unit length, by language.

        The mean cosine to unit vectors is the product with their mean, so nothing is scanned.
        """
        return {
            language: (mean.count, mean.count * (1 - float(mean.vector @ vector)))
            for language, mean in self.means.items()
        }


type Key = tuple[str, str, str, Filters]
_held: OrderedDict[Key, Readable] = OrderedDict()
_lock = threading.Lock()


def readable(workspace: Workspace, user: User, filters: Filters = NOTHING) -> Readable:
    """What `user` may read in `workspace` within `filters`.

    Whether the copy kept is still right is asked of the database each time, by a digest of what the
    documents that `user` may see serve. Those who may read the same share a copy.
    """
    key = _key(workspace, user, filters)
    with _lock:
        found = _held.get(key)
        if found is not None:
            _held.move_to_end(key)
            return found
    counted = _counted(workspace, user, filters)
    # What was counted while a version came or went belongs to neither state and is not kept.
    if _key(workspace, user, filters) == key:
        with _lock:
            _held[key] = counted
            while len(_held) > KEPT:
                _held.popitem(last=False)
    return counted


def _key(workspace: Workspace, user: User, filters: Filters) -> Key:
    """Names, tags and days of documents count only where filters may ask for them."""
    said = ("name", "tags", "created_at", "parent__name", "parent__tags") if filters else ()
    digest = read_digest(workspace, user, *said)
    return str(workspace.pk), str(embedder().identity), digest, filters


def _counted(workspace: Workspace, user: User, filters: Filters) -> Readable:
    identity = embedder().identity
    mine = Q(embedder=str(identity))
    unit: Any = Func("embedding", function="l2_normalize", output_field=VectorField())
    rows = filters.apply(chunks_live(workspace, user)).order_by()
    totals = dict(rows.values_list("language").annotate(count=Count("pk")))
    means = {
        language: Mean(count, np.asarray(mean, dtype=np.float64))
        for language, count, mean in rows.filter(mine)
        .values_list("language")
        .annotate(count=Count("pk"), mean=Avg(unit, output_field=VectorField()))
    }
    return Readable(sum(totals.values()), means)
