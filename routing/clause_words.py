"""The words of a message with their places, and the word lists that the clause splitter reads."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.language import fold

TOKEN = re.compile(r"[^\W_]+(?:[.,:]\d+)*", re.UNICODE)
LANGUAGES = ("pt", "en", "es", "fr")

type Phrase = tuple[str, ...]
type Phrases = dict[str, tuple[tuple[Phrase, Phrase], ...]]


@dataclass(frozen=True, slots=True)
class Token:
    """One word. `low` is lower case with its accents, `folded` without; `gap` is what stands before."""

    raw: str
    low: str
    folded: str
    start: int
    end: int
    gap: str

    @property
    def named(self) -> bool:
        return self.raw[0].isupper() or self.raw[0].isdigit()


def tokens_of(text: str) -> tuple[Token, ...]:
    """Words in order with their places in `text`."""
    found: list[Token] = []
    last = 0
    for match in TOKEN.finditer(text):
        raw = match.group()
        gap = text[last : match.start()]
        found.append(Token(raw, raw.lower(), fold(raw), match.start(), match.end(), gap))
        last = match.end()
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists of one language, ready to be matched at a token."""

    phrases: dict[str, Phrases]
    words: dict[str, frozenset[str]]
    groups: tuple[frozenset[str], ...]
    place_preposition: str

    def match(self, name: str, tokens: tuple[Token, ...], at: int, *, exact: bool = False) -> int:
        """How many tokens from `at` are the longest phrase of list `name`; 0 for none.

        `exact` wants the accents too, for places where a word without them is another word.
        """
        if at >= len(tokens):
            return 0
        for folded, low in self.phrases[name].get(tokens[at].folded, ()):
            here = tokens[at : at + len(folded)]
            if exact:
                if tuple(token.low for token in here) == low:
                    return len(low)
            elif tuple(token.folded for token in here) == folded:
                return len(folded)
        return 0

    def has(self, name: str, token: Token) -> bool:
        return token.folded in self.words[name]

    def group(self, folded: str) -> frozenset[str]:
        """Prepositions that say the same relation; only the word itself when none are listed."""
        return next((group for group in self.groups if folded in group), frozenset({folded}))


@functools.cache
def lexicon(language: str) -> Lexicon:
    """The lists of `language`; English ones when there are none."""
    name = language if language in LANGUAGES else "en"
    path = Path(__file__).parent / "data" / f"clauses.{name}.toml"
    held: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    lists = {
        key: value for key, value in held.items() if key not in {"groups", "place_preposition"}
    }
    return Lexicon(
        phrases={key: _phrases(value) for key, value in lists.items()},
        words={key: frozenset(fold(word) for word in value) for key, value in lists.items()},
        groups=tuple(frozenset(fold(word) for word in group) for group in held["groups"]),
        place_preposition=held["place_preposition"],
    )


def _phrases(texts: list[str]) -> Phrases:
    made: dict[str, list[tuple[Phrase, Phrase]]] = {}
    for text in texts:
        words = tokens_of(text)
        pair = (tuple(word.folded for word in words), tuple(word.low for word in words))
        made.setdefault(pair[0][0], []).append(pair)
    return {key: tuple(sorted(held, key=lambda x: -len(x[0]))) for key, held in made.items()}
