"""A passage as themes see it: its stems, the phrases that could name a theme, its sentences. Pure."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.chunking import sentences
from engines.language import fold, stem, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# A phrase by its stems, so that singular and plural are one.
Key = tuple[str, ...]

TOKEN = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*|[^\w\s]")
# "faz-se", "regista-o": a verb with its pronoun.
VERB = re.compile(r"-(?:se|lhes?|os?|as?|nos?|nas?|los?|las?)$")
STARTS = re.compile(r"^[\"«“‘(¿¡]*[A-ZÀ-ÖØ-Þ0-9]")
ENDS = re.compile(r"[.!?…][\"»”’)]*$")
SHORTEST, LONGEST_WORD = 3, 28
MOST_IN_TEXT, MOST_IN_HEADING = 3, 5
# A whole sentence that is quoted has so many words.
FEWEST, MOST = 6, 48


# The language whose adjectives go before the noun.
HEAD_LAST = "en"


class Marked(NamedTuple):
    """A content word in its place: its stem, whether it stands as a noun, whether a phrase begins there."""

    stem: str
    noun: bool
    opens: bool


@dataclass(frozen=True, slots=True)
class Grammar:
    """Stems that are used as nouns, and stems that phrases begin with."""

    nouns: frozenset[str]
    opening: frozenset[str]


@functools.cache
def _data() -> dict[str, frozenset[str]]:
    path = Path(__file__).parent / "data" / "themes.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: frozenset(fold(word) for word in (words.split() if isinstance(words, str) else words))
        for name, words in held.items()
    }


@functools.lru_cache(maxsize=100_000)
def _folded(token: str) -> str:
    return fold(token)


@functools.lru_cache(maxsize=100_000)
def _content(token: str) -> bool:
    """Whether a token may be a content word: letters, no figure, no function word, no verb with pronoun."""
    folded = _folded(token)
    return (
        SHORTEST <= len(folded) <= LONGEST_WORD
        and not any(sign.isdigit() for sign in token)
        and any(sign.isalpha() for sign in token)
        and folded not in stop_words("")
        and not VERB.search(folded)
    )


def stems_of(text: str, language: str) -> list[str]:
    """The stems of the content words, in order."""
    return [stem(token, language) for token in TOKEN.findall(text) if _content(token)]


def stems_marked(text: str, language: str) -> list[Marked]:
    """The stems of the content words, and how each stands: as a noun does, and where a phrase begins.

    A phrase begins behind an article or a preposition. That is the noun's place where adjectives follow
    it; in English they go before, and the noun is what ends the phrase.
    """
    before, found = _data()["before"], []
    tokens = ["", "", *TOKEN.findall(text), ""]
    content = [bool(token) and _content(token) for token in tokens]
    opens = [_folded(token) in before for token in tokens]
    for at in range(2, len(tokens) - 1):
        if not content[at]:
            continue
        near = opens[at - 1]
        if language == HEAD_LAST:
            noun = not content[at + 1] and (near or (content[at - 1] and opens[at - 2]))
        else:
            noun = near
        found.append(Marked(stem(tokens[at], language), noun, near))
    return found


def heading_phrases(segment: str, language: str) -> dict[Key, str]:
    """The phrases that a heading holds, by their stems, as they are written.

    A phrase runs from one link word to another; one that begins with a kind of document is none.
    """
    found: dict[Key, str] = {}
    for run in _runs(segment, _data()["link"] | _data()["join"]):
        starts = [
            i for i, one in enumerate(run) if _content(one) and not (i and _content(run[i - 1]))
        ]
        ends = [
            i
            for i, one in enumerate(run)
            if _content(one) and not (i + 1 < len(run) and _content(run[i + 1]))
        ]
        for start in starts:
            if _folded(run[start]) in _data()["form"]:
                continue
            for end in ends:
                if end >= start:
                    _add(found, run[start : end + 1], language)
    return found


def text_phrases(text: str, language: str, known: Grammar | None = None) -> dict[Key, str]:
    """Phrases of one to three content words, links between them, by their stems, as they are written.

    With `known` only those that are built like the name of something.
    """
    found: dict[Key, str] = {}
    for run in _runs(text, _data()["link"]):
        places = [i for i, one in enumerate(run) if _content(one)]
        key = tuple(stem(run[place], language) for place in places)
        firm = [not _weak(run[place]) for place in places]
        ends = [one and (known is None or key[n] in known.nouns) for n, one in enumerate(firm)]
        begins = ends
        if known is not None and language == HEAD_LAST:
            begins = [one and key[n] in known.opening for n, one in enumerate(firm)]
        for first in range(len(places)):
            for last in range(first, min(first + MOST_IN_TEXT, len(places))):
                alone = first == last and len(run[places[first]]) > SHORTEST
                if ends[last] and (alone or (last > first and begins[first])):
                    form = " ".join(run[places[first] : places[last] + 1])
                    _keep(found, key[first : last + 1], form)
    return found


@functools.lru_cache(maxsize=100_000)
def _weak(token: str) -> bool:
    return _folded(token) in _data()["weak"] or _folded(token) in _data()["form"]


def _keep(found: dict[Key, str], key: Key, form: str) -> None:
    # The small form is the word itself; a capital may be only the start of a sentence.
    if key not in found or (form[0].islower() and not found[key][0].islower()):
        found[key] = form


def _add(found: dict[Key, str], tokens: Sequence[str], language: str) -> None:
    content = [token for token in tokens if _content(token)]
    if not content or len(content) > MOST_IN_HEADING:
        return
    if all(_weak(token) or len(token) <= SHORTEST for token in content):
        return
    _keep(found, tuple(stem(token, language) for token in content), " ".join(tokens))


def _runs(text: str, links: frozenset[str]) -> Iterator[list[str]]:
    """Stretches of content words and links, without links at their ends."""
    run: list[str] = []
    for token in [*TOKEN.findall(text), "."]:
        if _content(token) or (run and _folded(token) in links):
            run.append(token)
            continue
        while run and not _content(run[-1]):
            run.pop()
        if run:
            yield run
        run = []


def holds(said: str, form: str) -> bool:
    """Whether `form` stands in `said`, which is `standing(...)` of a passage."""
    return f" {_flat(form)} " in said


def standing(parts: Iterable[str]) -> str:
    return f" {' '.join(_flat(part) for part in parts)} "


def _flat(text: str) -> str:
    return " ".join(_folded(token) for token in TOKEN.findall(text) if token[0].isalnum())


def pieces(text: str) -> list[str]:
    """The passage's whole sentences; if it has none, its lines that say something."""
    lines = [line.strip(" |#*-•\t") for line in text.splitlines() if line.strip()]
    parts = [part for line in lines for part in sentences(line)]
    whole = [
        part
        for part in parts
        if STARTS.match(part) and ENDS.search(part) and FEWEST <= len(part.split()) <= MOST
    ]
    return whole or [
        part for part in parts if any(map(str.isalpha, part)) and len(part.split()) > 2
    ]
