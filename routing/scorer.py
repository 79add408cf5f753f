"""The score of the second stage: kernel ridge regression from texts to routes over the anchors. Pure.

A text's score for a route is `base + sum of weight × likeness` over all anchors, so what each anchor
adds can be told. Likeness is the cosine of vectors with the anchors' mean taken off, plus the cosine
of the words and pairs of words weighed by rarity (tf-idf). The weights minimise the squared error of the
anchors' own routes, each route counting the same however many anchors it has (kernel ridge regression:
Saunders, Gammerman, Vovk, ICML 1998). Figures: docs/decisions/0008-scorer.md.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engines.language import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# How strongly the weights are kept small, and how much words count beside vectors.
RIDGE, WORDS = 0.3, 0.5


@dataclass(frozen=True, slots=True)
class WordIndex:
    """For each word or pair of words of the anchors its rarity, and the anchors that hold it with
    its share of their length."""

    rarity: dict[str, float]
    held: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]
    size: int

    def likeness(self, text: str) -> NDArray[np.float64]:
        """(n,) cosines of the weighed words of `text` and of each anchor; 0 where they share none."""
        said = {gram for gram in grams(text) if gram in self.rarity}
        length = math.sqrt(sum(self.rarity[gram] ** 2 for gram in said)) or 1.0
        found = np.zeros(self.size)
        for gram in said:
            places, shares = self.held[gram]
            found[places] += shares * (self.rarity[gram] / length)
        return found


@dataclass(frozen=True, slots=True)
class Scorer:
    """`weights` is (n, r) over n anchors and r `routes`, `base` (r,), `centred` (n, d) the anchors' vectors
    without their `mean` (d,), `scale` the mean square of their lengths."""

    routes: tuple[str, ...]
    weights: NDArray[np.float64]
    base: NDArray[np.float64]
    mean: NDArray[np.float32]
    centred: NDArray[np.float32]
    scale: float
    index: WordIndex

    def shares(self, vector: NDArray[np.float32], text: str) -> NDArray[np.float64]:
        """(n, r): what each anchor adds to each route's score. `vector` is (d,) with unit length."""
        alike = self.centred @ (vector - self.mean) / self.scale + WORDS * self.index.likeness(text)
        told: NDArray[np.float64] = alike[:, None] * self.weights
        return told


def grams(text: str) -> list[str]:
    """The folded words of a text and the pairs of neighbours."""
    said = words(text)
    return [*said, *(f"{left} {right}" for left, right in itertools.pairwise(said))]


def scorer_fit(matrix: NDArray[np.float32], routes: Sequence[str], texts: Sequence[str]) -> Scorer:
    """Fit the weights to anchors: `matrix` is (n, d) with unit rows, n at least 1."""
    mean = matrix.mean(axis=0)
    centred = matrix - mean
    scale = float((centred**2).sum(axis=1).mean()) or 1.0
    index = _index(texts)
    alike = (centred @ centred.T).astype(np.float64) / scale
    alike += WORDS * np.vstack([index.likeness(text) for text in texts])
    names = tuple(dict.fromkeys(routes))
    count = Counter(routes)
    counts = np.array([len(routes) / (len(names) * count[route]) for route in routes])
    wanted = np.array([[float(route == name) for name in names] for route in routes])
    base = (counts[:, None] * wanted).sum(axis=0) / counts.sum()
    weights = np.linalg.solve(alike + RIDGE * np.diag(1 / counts), wanted - base)
    return Scorer(names, weights, base, mean, centred, scale, index)


def _index(texts: Sequence[str]) -> WordIndex:
    """idf = ln((1 + n) / (1 + df)) + 1, so that a word of every anchor still counts a little."""
    held = [set(grams(text)) for text in texts]
    seen = Counter(gram for one in held for gram in one)
    rarity = {gram: math.log((1 + len(texts)) / (1 + df)) + 1 for gram, df in seen.items()}
    places: dict[str, list[tuple[int, float]]] = {}
    for place, one in enumerate(held):
        length = math.sqrt(sum(rarity[gram] ** 2 for gram in one)) or 1.0
        for gram in one:
            places.setdefault(gram, []).append((place, rarity[gram] / length))
    arrays = {
        gram: (np.array([p for p, _ in at]), np.array([share for _, share in at]))
        for gram, at in places.items()
    }
    return WordIndex(rarity, arrays, len(texts))
