"""By which sentences a theme is told, without a model: those with most of its own words. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from corpus.theme_text import pieces, stems_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from corpus.theme_words import Worded

    Floats = NDArray[np.float64]

# Of a theme so many passages are looked at, those with most of its words.
LOOKED_AT, LONGEST = 48, 420
# What a sentence of a document that is quoted already counts, and how like a quoted one it may be.
AGAIN, LIKE = 0.6, 0.5
# What a sentence gains that holds the words of the title.
TITLE = 1.0
# Short sentences have few words to be weighed by; so many words are added to each length.
PADDING = 10


@dataclass(frozen=True, slots=True)
class Told:
    """A passage of a theme, by its place in the corpus, with the sentence to quote of it."""

    place: int
    sentence: str


def profile(group: Sequence[int], matrix: Any) -> Floats:
    """(v,) what the words of a theme weigh: their mean weight in it less their mean weight in all."""
    inside = np.asarray(matrix[np.array(group)].mean(axis=0)).ravel()
    every = np.asarray(matrix.mean(axis=0)).ravel()
    found: Floats = np.maximum(inside - every, 0.0)
    return found


def told(
    group: Sequence[int],
    passages: Sequence[Worded],
    documents: Sequence[object],
    weights: Mapping[str, float],
    matrix_scores: Floats,
    limit: int,
    title: frozenset[str] = frozenset(),
) -> list[Told]:
    """Up to `limit` passages with a sentence each, the most telling first, each unlike those before it.

    `matrix_scores[i]` says how much passage group[i] is about the theme, `weights` what a stem weighs;
    sentences with the stems of its `title` go before others.
    """
    order = np.argsort(-matrix_scores, kind="stable")[:LOOKED_AT].tolist()
    scored: list[tuple[float, int, str, frozenset[str]]] = []
    for row in order:
        place = group[row]
        passage = passages[place]
        for piece in pieces(passage.text):
            held = frozenset(stems_of(piece, passage.language))
            value = sum(weights.get(stem, 0.0) for stem in held)
            value *= 1 + TITLE * len(held & title) / max(1, len(title))
            scored.append((value / (len(piece.split()) + PADDING) ** 0.5, place, piece, held))
    chosen: list[Told] = []
    kept: list[frozenset[str]] = []
    while len(chosen) < limit:
        here = {documents[one.place] for one in chosen}
        places = {one.place for one in chosen}
        best = max(
            (
                (value * (AGAIN if documents[place] in here else 1.0), -number)
                for number, (value, place, _piece, held) in enumerate(scored)
                if place not in places and not any(_alike(held, other) for other in kept)
            ),
            default=None,
        )
        if best is None:
            break
        _value, place, piece, held = scored[-best[1]]
        chosen.append(Told(place, piece[:LONGEST]))
        kept.append(held)
    return chosen


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) > LIKE * max(1, min(len(one), len(other)))
