"""What a theme is called and by which sentences it is told, without a model. Pure."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engines.language import WORD, fold, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

TERMS, SHORTEST, NAME_WEIGHT, HEADING_WEIGHT = 16, 4, 1.5, 1.5
# How much a sentence loses by the likeness to those taken before it.
LIKENESS = 0.6


@dataclass(frozen=True, slots=True)
class Worded:
    """A passage's terms: folded form to the form as it is written, names and heading words apart."""

    words: dict[str, str]
    names: dict[str, str]
    headings: frozenset[str]


def worded(text: str, heading: str, names: Iterable[str]) -> Worded:
    """The words of a passage that could name a theme: no stop words, no figures, four letters or more."""
    idle = stop_words("")
    held: dict[str, str] = {}
    above = set()
    for part, is_heading in ((heading, True), (text, False)):
        for word in WORD.findall(part):
            folded = fold(word)
            if len(folded) < SHORTEST or folded in idle or not folded.isalpha():
                continue
            # The small form is the word itself, a capital may be only the start of a sentence.
            held[folded] = min(held.get(folded, word), word, key=str.isupper)
            if word.islower():
                held[folded] = word
            if is_heading:
                above.add(folded)
    called = {fold(name): name for name in names if any(sign.isalpha() for sign in name)}
    return Worded(held, called, frozenset(above))


def distinctive(groups: Sequence[Sequence[int]], passages: Sequence[Worded]) -> list[list[str]]:
    """For each group its most distinctive terms, best first, as they are written.

    A term scores by the share of the group's passages that hold it times ln(1 + p / df) over all
    passages; names and words of headings count more. A word of a name that stands before it is left out.
    """
    everywhere: Counter[str] = Counter()
    for passage in passages:
        everywhere.update(passage.words.keys() | passage.names.keys())
    return [_terms(group, passages, everywhere) for group in groups]


def _terms(group: Sequence[int], passages: Sequence[Worded], everywhere: Counter[str]) -> list[str]:
    held: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    named: set[str] = set()
    above: set[str] = set()
    for number in group:
        passage = passages[number]
        terms = passage.words | passage.names
        held.update(terms.keys())
        for folded, form in terms.items():
            written.setdefault(folded, Counter())[form] += 1
        named |= passage.names.keys()
        above |= passage.headings

    def score(term: str) -> float:
        weight = NAME_WEIGHT if term in named else HEADING_WEIGHT if term in above else 1.0
        rarity = math.log1p(len(passages) / everywhere[term])
        return weight * rarity * held[term] / len(group)

    chosen: list[str] = []
    for term in sorted(held, key=lambda term: (-score(term), term)):
        taken = " ".join(chosen).split()
        if not set(term.split()) & set(taken) and not any(_alike(term, other) for other in taken):
            chosen.append(term)
        if len(chosen) == TERMS:
            break
    return [written[term].most_common(1)[0][0] for term in chosen]


def _alike(one: str, other: str) -> bool:
    """Forms of one word: the same beginning, endings of at most three letters."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return same >= SHORTEST and max(len(one), len(other)) - same <= 3


def ranked(vectors: Vectors, limit: int) -> list[tuple[int, float]]:
    """(row, cosine with the centroid): central rows first, each unlike those before it.

    Maximal marginal relevance (Carbonell, Goldstein 1998) with the centroid as the question.
    """
    if not len(vectors):
        return []
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    middle = unit.mean(axis=0)
    central = unit @ (middle / (np.linalg.norm(middle) or 1.0))
    like = np.zeros(len(unit), dtype=np.float32)
    free = np.ones(len(unit), dtype=bool)
    found: list[tuple[int, float]] = []
    for _ in range(min(limit, len(unit))):
        gain = np.where(free, (1 - LIKENESS) * central - LIKENESS * like, -np.inf)
        best = int(np.argmax(gain))
        found.append((best, float(central[best])))
        free[best] = False
        like = np.maximum(like, unit @ unit[best])
    return found
