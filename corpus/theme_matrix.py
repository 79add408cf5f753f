"""Passages as vectors: their words weighed by rarity, and which passages are nearest. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Floats = NDArray[np.float64]

SEED = 7
# How much the words count beside the meaning, of 1.
WORDS_SHARE = 0.5
NEIGHBOURS, LEAST = 8, 0.06
# A word in more than this share of the passages tells none from another.
COMMON = 0.2
# Above so many passages each looks for its nearest among a sample of that size.
MOST_COMPARED, ROWS_AT_ONCE = 20_000, 512
# Words of a heading count so many times.
HEADING_TIMES = 1


def words_matrix(
    stems: Sequence[Sequence[str]], headings: Sequence[Sequence[str]]
) -> tuple[Any, list[str]]:
    """(p, v) sparse rows of unit length and the v stems: (1 + ln tf) · ln(p / df), Salton's weights.

    A stem that stands in a single passage or in nearly all of them is left out.
    """
    from scipy.sparse import csr_array

    size = len(stems)
    counts = [
        Counter(said) + Counter(dict.fromkeys(above, HEADING_TIMES))
        for said, above in zip(stems, headings, strict=True)
    ]
    everywhere = Counter(word for held in counts for word in held)
    most = max(2.0, 0.5 * size)
    vocabulary = sorted(word for word, df in everywhere.items() if 1 < df <= most)
    place = {word: number for number, word in enumerate(vocabulary)}
    rarity = np.log(size / np.array([everywhere[word] for word in vocabulary], np.float64))
    columns, values, starts = [], [], [0]
    for held in counts:
        for word, times in held.items():
            if word in place:
                columns.append(place[word])
                values.append(times)
        starts.append(len(columns))
    found = np.array(columns, dtype=np.int64)
    weights = (1 + np.log(np.array(values, np.float64))) * rarity[found] if columns else np.zeros(0)
    matrix = csr_array((weights, found, np.array(starts)), shape=(size, len(vocabulary)))
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    per_value = np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
    matrix.data = matrix.data / per_value
    return matrix, vocabulary


def centred(vectors: Vectors, languages: Sequence[str]) -> Vectors:
    """Unit rows less the mean of their language: else passages of one language would be one theme."""
    made = np.array(vectors, dtype=np.float32)
    held = np.linalg.norm(made, axis=1) > 0
    tongue = np.array(languages)
    for language in sorted(set(languages)):
        rows = held & (tongue == language)
        # A single passage less its own mean would be nothing.
        if rows.sum() > 1:
            made[rows] -= made[rows].mean(axis=0)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    unit: Vectors = np.divide(made, lengths, out=np.zeros_like(made), where=lengths > 1e-6)
    return unit


def neighbours(unit: Vectors, matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """(i, j, likeness) with i < j for each passage's nearest others, those above LEAST.

    Likeness is the mean of the cosines of `unit` (p, d) and of `matrix` (p, v), both with unit or
    zero rows.
    """
    size = len(unit)
    others = np.arange(size)
    if size > MOST_COMPARED:
        others = np.sort(np.random.default_rng(SEED).choice(size, MOST_COMPARED, replace=False))
    kept = min(NEIGHBOURS, max(1, size // 3), max(0, len(others) - 1))
    if not kept:
        empty = np.zeros(0, np.int64)
        return empty, empty, np.zeros(0)
    compared, said = unit[others].T.copy(), _telling(matrix)
    by_word = said[others].T.tocsr()
    ones, twos, likes = [], [], []
    for start in range(0, size, ROWS_AT_ONCE):
        stop = min(size, start + ROWS_AT_ONCE)
        like = (1 - WORDS_SHARE) * (unit[start:stop] @ compared)
        like += WORDS_SHARE * (said[start:stop] @ by_word).toarray()
        rows = np.arange(start, stop)
        like[rows[:, None] == others[None, :]] = -1.0
        nearest = np.argpartition(-like, kept - 1, axis=1)[:, :kept]
        found = np.take_along_axis(like, nearest, axis=1)
        row, column = np.nonzero(found > LEAST)
        ones.append(rows[row])
        twos.append(others[nearest[row, column]])
        likes.append(found[row, column])
    one, two, weight = np.concatenate(ones), np.concatenate(twos), np.concatenate(likes)
    low, high = np.minimum(one, two), np.maximum(one, two)
    _pairs, first = np.unique(low.astype(np.int64) * size + high, return_index=True)
    return low[first], high[first], weight[first].astype(np.float64)


def _telling(matrix: Any) -> Any:
    """`matrix` without the words that too many passages hold: they cost most and tell least."""
    size = matrix.shape[0]
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    # Of a few passages every word counts.
    rare = held <= max(8.0, COMMON * size)
    return matrix[:, np.nonzero(rare)[0]].astype(np.float32)
