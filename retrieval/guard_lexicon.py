"""Word lists by which the cache's guard reads a question: one data file per language."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval.guard_stems import word_key

FOLDER = Path(__file__).parent / "data"
IDLE, REQUEST, START, ASK, SIGN, COMPARE, BEHIND, SAME, TODAY = (
    "idle",
    "request",
    "start",
    "ask",
    "signs",
    "compare",
    "after_number",
    "same",
    "today",
)
KINDS = (ASK, REQUEST, START, IDLE, SIGN, COMPARE, BEHIND, TODAY)
# Contractions that stand for the preposition in a phrase: "número dos" is read as "número de".
CONTRACTED = {
    "pt": {"do": "de", "da": "de", "dos": "de", "das": "de", "ao": "a", "aos": "a", "pelo": "por"},
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a run of words is read as: `kind` is a section of the file, `name` the line in it."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Beside:
    """A content word that says the same as `instead`, or nothing, next to one of `words`."""

    word: str
    instead: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists of one language; without a file all are empty, and every word counts as it stands."""

    language: str
    phrases: dict[tuple[str, ...], tuple[Phrase, ...]] = field(default_factory=dict)
    longest: int = 0
    same: dict[tuple[str, ...], str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    measures: frozenset[str] = frozenset()
    merged: dict[str, str] = field(default_factory=dict)
    personal: frozenset[str] = frozenset()
    name: frozenset[str] = frozenset()
    before_value: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    places_named: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    asked: dict[str, frozenset[str]] = field(default_factory=dict)
    beside: tuple[Beside, ...] = ()
    told: tuple[Beside, ...] = ()

    def plain(self, word: str) -> str:
        """A folded word as it stands in phrases."""
        return CONTRACTED.get(self.language, {}).get(word, word)

    def key(self, word: str) -> str:
        """The key of one folded word as content, by its line of synonyms where it has one."""
        return _key(word, self.same, self.language)


def _entries(text: str) -> list[tuple[str, ...]]:
    return [tuple(entry.split()) for entry in text.split(",") if entry.split()]


def _phrases(held: dict[str, Any]) -> dict[tuple[str, ...], tuple[Phrase, ...]]:
    found: dict[tuple[str, ...], tuple[Phrase, ...]] = {}
    for kind in KINDS:
        for name, listed in held.get(kind, {}).items():
            for entry in _entries(listed):
                found[entry] = (*found.get(entry, ()), Phrase(kind, name))
    return found


def _key(word: str, same: dict[tuple[str, ...], str], language: str) -> str:
    """The key of a word as it comes out of a question; the name of a line of `same` is one already."""
    key = word_key(word, language)
    return word if word in same.values() else same.get((key,), key)


def _numbers(held: dict[str, str]) -> dict[str, str]:
    listed = {word: str(place) for place, word in enumerate(held.get("words", "").split())}
    return listed | {word: value for word, value in held.items() if word != "words"}


@functools.cache
def lexicon(language: str) -> Lexicon:
    """The lists of `language`, empty when there are none for it."""
    path = FOLDER / f"guard_{language}.toml"
    if not path.is_file():
        return Lexicon(language)
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    phrases = _phrases(held)
    same = {
        tuple(word_key(word, language) for word in entry): name
        for name, listed in held[SAME].items()
        for entry in _entries(listed)
    }

    def keyed(text: str) -> frozenset[str]:
        return frozenset(_key(word, same, language) for word in text.replace(",", " ").split())

    def keys(section: str, line: str = "words") -> frozenset[str]:
        return keyed(held[section][line])

    told = tuple(
        Beside(_key(line["word"], same, language), "", keyed(line["words"]))
        for line in held["told"]
    )
    return Lexicon(
        language,
        phrases,
        max(len(entry) for entry in [*phrases, *same]),
        same,
        _numbers(held["numbers"]),
        keys("measures"),
        {word[0]: name for name, listed in held["merged"].items() for word in _entries(listed)},
        frozenset(word[0] for word in _entries(held["personal"]["words"])),
        keys("name"),
        keys("before_value"),
        keys("attributes"),
        keys("light") | keys("light", "verbs"),
        keys("light", "verbs") | frozenset(rule.word for rule in told),
        keys("places"),
        keys("places", "named"),
        keys("units"),
        {name: keyed(listed) for name, listed in held["asked"].items()},
        tuple(
            Beside(
                _key(line["word"], same, language),
                _key(line["instead"], same, language),
                keyed(line["words"]),
            )
            for line in held["beside"]
        ),
        told,
    )
