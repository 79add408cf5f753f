"""Rank fusion. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

K = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """A key with its fused score and its rank in each list that holds it, from 1."""

    key: str
    score: float
    ranks: dict[str, int]


def rrf(
    rankings: Mapping[str, Sequence[str]],
    *,
    k: int = K,
    weights: Mapping[str, float] | None = None,
) -> list[Fused]:
    """Reciprocal rank fusion: score = sum of weight / (k + rank), best first.

    Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet (SIGIR 2009), k = 60.
    A list without a weight counts 1. Ties keep the order in which keys were first seen.
    """
    ranks: dict[str, dict[str, int]] = {}
    for name, keys in rankings.items():
        for rank, key in enumerate(keys, start=1):
            ranks.setdefault(key, {}).setdefault(name, rank)
    weight = weights or {}
    fused = [
        Fused(key, sum(weight.get(name, 1.0) / (k + rank) for name, rank in held.items()), held)
        for key, held in ranks.items()
    ]
    return sorted(fused, key=lambda item: -item.score)
