"""A passage as themes see it: its stems, the phrases that could name a theme, its sentences. Pure."""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.chunking import sentences
from engines.language import fold, stem, stop_words

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

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


def stems_marked(text: str, language: str) -> list[tuple[str, bool]]:
    """The stems of the content words, and whether a word that goes before nouns stands before each."""
    before, found, last = _data()["before"], [], ""
    for token in TOKEN.findall(text):
        if _content(token):
            found.append((stem(token, language), last in before))
        last = _folded(token)
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


def text_phrases(text: str, language: str, nouns: Container[str] | None = None) -> dict[Key, str]:
    """Phrases of one to three content words, links between them, by their stems, as they are written.

    With `nouns`, stems, only those that begin and end with one of them.
    """
    found: dict[Key, str] = {}
    for run in _runs(text, _data()["link"]):
        places = [i for i, one in enumerate(run) if _content(one)]
        key = tuple(stem(run[place], language) for place in places)
        edge = [
            not _weak(run[place]) and (nouns is None or key[number] in nouns)
            for number, place in enumerate(places)
        ]
        for first, begins in enumerate(edge):
            for last in range(first, min(first + MOST_IN_TEXT, len(places))) if begins else ():
                if edge[last] and (last > first or len(run[places[first]]) > SHORTEST):
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
