"""How hard a question is for a small model: a sum of marks that can be read. Pure."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.language import fold
from engines.sensitive import words_pattern
from engines.tokens import DENSE

THRESHOLD = 0.70
# From so many words on length begins to count, and to so many it counts wholly.
SHORT, LONG, LENGTH_WEIGHT = 12, 40, 0.30
PART_WEIGHT, MOST_PARTS = 0.15, 2
# Signs of a script without spaces for one word of others.
SIGNS_A_WORD = 2


@dataclass(frozen=True, slots=True)
class Difficulty:
    """`score` from 0 to 1; `marks` are what it is the sum of, by name."""

    score: float
    marks: tuple[tuple[str, float], ...]


def difficulty(question: str, parts: int = 1) -> Difficulty:
    """The score of `question`, which asks `parts` things.

    Words of comparison, reasoning and condition count, its length and its parts, each by its weight.
    """
    folded = fold(question)
    marks = [
        (name, weight)
        for name, (weight, words, signs) in _lists().items()
        if words.search(folded) or any(sign in folded for sign in signs)
    ]
    long = (_length(folded) - SHORT) / (LONG - SHORT)
    marks.append(("length", round(LENGTH_WEIGHT * min(1.0, max(0.0, long)), 3)))
    marks.append(("parts", PART_WEIGHT * min(MOST_PARTS, max(0, parts - 1))))
    kept = tuple((name, weight) for name, weight in marks if weight)
    return Difficulty(round(min(1.0, sum(weight for _, weight in kept)), 3), kept)


def _length(folded: str) -> float:
    dense = sum(sign >= DENSE for sign in folded)
    spaced = re.findall(r"\w+", re.sub(rf"[{DENSE}-\U0010ffff]", " ", folded))
    return len(spaced) + dense / SIGNS_A_WORD


@functools.cache
def _lists() -> dict[str, tuple[float, re.Pattern[str], tuple[str, ...]]]:
    path = Path(__file__).parent / "data" / "difficulty.toml"
    held: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: (row["weight"], words_pattern(row["words"]), tuple(fold(row["signs"]).split()))
        for name, row in held.items()
    }
