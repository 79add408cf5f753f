"""Which words state a relation, and a name where it stands. Shared by what reads facts. Pure."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from engines.language import fold

COPULA = r"(?:é|são|foi|foram|is|are|was|were)"


@dataclass(frozen=True, slots=True)
class Span:
    """A name and where it stands in its sentence."""

    name: str
    start: int
    end: int


@functools.cache
def relation_lists() -> dict[str, frozenset[str]]:
    path = Path(__file__).parent / "data" / "relations.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return {key: frozenset(fold(word) for word in words.split()) for key, words in held.items()}


def office_in(text: str) -> bool:
    """Whether the text begins with a word for what somebody is or does."""
    found = re.findall(r"[^\W\d_]+", fold(text))
    return bool(found) and _is_relation(found[0], relation_lists()["offices"])


def relation_in(text: str) -> bool:
    held = relation_lists()["relations"]
    return any(_is_relation(word, held) for word in re.findall(r"[^\W\d_]+", fold(text)))


def verb_in(text: str) -> bool:
    """Whether a relation word other than a plant's stands in the text."""
    held = relation_lists()["relations"]
    found = re.findall(r"[^\W\d_]+", fold(text))
    return any(_is_relation(word, held) and not word.startswith("fabrica") for word in found)


@functools.lru_cache(maxsize=20_000)
def _is_relation(word: str, relation_words: frozenset[str]) -> bool:
    """Whether a folded word is a relation word or an inflection of one (the first letters agree)."""
    return word in relation_words or any(
        len(stem) >= 5 and word.startswith(stem) for stem in relation_words
    )
