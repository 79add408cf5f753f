"""What two questions must share, besides meaning, before one may get the other's answer. Pure."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.language import content_words, detect, fold, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
CAPITAL = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-ZÀ-ÖØ-Þ][\w'’-]*")


@functools.cache
def opposites() -> dict[str, str]:
    """Each folded comparison, negation or direction word and the class it speaks for."""
    path = Path(__file__).parent / "data" / "guard.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return {fold(word): name for name, listed in held.items() for word in listed["words"].split()}


def signature(question: str, vocabulary: Iterable[str] = ()) -> dict[str, list[str]]:
    """Names, numbers, classes of comparison words and the content words of a question.

    `vocabulary` are folded names that the corpus knows and that stand in the question, so that a
    name counts in lower case too. Every list is sorted; word order of content words is kept apart,
    since "from A to B" is not "from B to A".
    """
    language = detect(question)
    folded = words(question)
    # Word by word, so that a name in lower case that the corpus knows equals the same in capitals.
    named = [*CAPITAL.findall(question), *vocabulary]
    names = {word for name in named for word in content_words(name, language)}
    classes = opposites()
    return {
        "names": sorted(names),
        "numbers": sorted(NUMBER.findall(question)),
        "signs": sorted(classes[word] for word in folded if word in classes),
        "content": sorted(stem(word, language) for word in content_words(question, language)),
        "order": [word for word in folded if word in names],
        "marks": [str(question.count("?"))],
        "language": [language],
    }


FIXED = ("names", "numbers", "signs", "order", "language", "marks")


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one question may get the other's answer, their cosine, and what decided it."""

    hit: bool
    cosine: float
    reason: str


def difference(one: dict[str, list[str]], other: dict[str, list[str]]) -> str:
    """The first part in which two signatures forbid one answer for both; "" when none does.

    Names, numbers, signs, their order, the language and the number of questions must be equal. Of the
    content words at most one may differ on each side, and when nothing else was there to compare, none.
    """
    for key in FIXED:
        if one.get(key) != other.get(key):
            return key
    mine, theirs = set(one.get("content", [])), set(other.get("content", []))
    if not (one.get("names") or one.get("numbers")):
        return "" if mine == theirs else "content"
    near = len(mine - theirs) <= 1 and len(theirs - mine) <= 1 and len(mine & theirs) >= 1
    return "" if near else "content"


def decide(
    one: dict[str, list[str]],
    other: dict[str, list[str]],
    *,
    same_words: bool,
    cosine: float,
    near: float,
) -> Decision:
    """The cache's decision on two questions: the very same words, or near enough and in agreement."""
    if same_words:
        return Decision(True, cosine, "same words")
    if cosine < near:
        return Decision(False, cosine, "cosine")
    found = difference(one, other)
    return Decision(not found, cosine, found or "agree")
