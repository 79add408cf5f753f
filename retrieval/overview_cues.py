"""Whether a question asks for an overview of the documents, and of which topic. Pure."""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engines.language import WORD, fold, stop_words

if TYPE_CHECKING:
    from collections.abc import Sequence

# The stage of a decision that this module takes.
OVERVIEW = "overview"
BREAK = re.compile(r"[.!?:;,]\s")
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Overview:
    """What was asked: the phrase that says so, as typed, and the topic, empty for all documents.

    `named` says that the topic may be a name, of which all is to be told; `only` that it must be one,
    or else no overview is asked for.
    """

    cue: str
    topic: str
    named: bool = False
    only: bool = False


def overview_asked(text: str) -> Overview | None:
    """What overview `text` asks for; None when it asks for something else."""
    places = list(WORD.finditer(text))
    folded = tuple(fold(place.group()) for place in places)
    idle = _idle() | stop_words("")
    for only, phrases in ((False, _about("all")), (True, _about("known"))):
        end = _behind_idle(folded, phrases, idle)
        if end:
            topic = _stretch(text, places, range(end[1], len(places)), stop_words(""))
            cue = text[places[end[0]].start() : places[end[1] - 1].end()]
            return Overview(cue, topic, named=True, only=only) if topic else None
    found = _found(folded)
    if found is None:
        return None
    start, stop = found
    after = _stretch(text, places, range(stop, len(places)), idle)
    # What was said in a sentence or a clause before it is no topic: "I am new here: what …"
    own = max((match.end() for match in BREAK.finditer(text, 0, places[start].start())), default=0)
    before = _stretch(text, places, [n for n in range(start) if places[n].start() >= own], idle)
    return Overview(text[places[start].start() : places[stop - 1].end()], after or before)


def _stretch(
    text: str, places: Sequence[re.Match[str]], where: Sequence[int], idle: frozenset[str]
) -> str:
    """What was typed at `where`, without idle words at its ends; nothing when all of them are."""
    held = [place for place in where if fold(places[place].group()) not in idle]
    return text[places[held[0]].start() : places[held[-1]].end()] if held else ""


def _behind_idle(
    folded: tuple[str, ...], phrases: frozenset[tuple[str, ...]], idle: frozenset[str]
) -> tuple[int, int] | None:
    """Where the longest of `phrases` stands that only idle words go before."""
    for start in range(len(folded)):
        for length in range(min(max(map(len, phrases)), len(folded) - start), 0, -1):
            if folded[start : start + length] in phrases:
                return start, start + length
        if folded[start] not in idle:
            break
    return None


@functools.cache
def _about(kind: str) -> frozenset[tuple[str, ...]]:
    found = set()
    for lists in _data().values():
        cues = lists[kind]
        assert isinstance(cues, list)
        found |= {tuple(fold(word) for word in WORD.findall(cue)) for cue in cues}
    return frozenset(found)


def _found(folded: tuple[str, ...]) -> tuple[int, int] | None:
    """Where the longest phrase stands."""
    anywhere, at_start = _cues()
    longest = max(map(len, anywhere | at_start))
    for length in range(min(longest, len(folded)), 0, -1):
        if folded[:length] in at_start:
            return 0, length
        for start in range(len(folded) - length + 1):
            if folded[start : start + length] in anywhere:
                return start, start + length
    return None


@functools.cache
def _data() -> dict[str, dict[str, object]]:
    path = Path(__file__).parent / "data" / "overview.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def _cues() -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """The phrases as folded words: those that count anywhere, and those that count at the start."""
    anywhere: set[tuple[str, ...]] = set()
    at_start: set[tuple[str, ...]] = set()
    for lists in _data().values():
        slots, cues = lists["slots"], lists["cues"]
        assert isinstance(slots, dict)
        assert isinstance(cues, list)
        for cue in cues:
            for phrase in _filled(cue.removeprefix("^"), slots):
                words = tuple(fold(word) for word in WORD.findall(phrase))
                (at_start if cue.startswith("^") else anywhere).add(words)
    return frozenset(anywhere), frozenset(at_start)


def _filled(cue: str, slots: dict[str, list[str]]) -> list[str]:
    names = SLOT.findall(cue)
    return [
        SLOT.sub("%s", cue) % words for words in itertools.product(*(slots[name] for name in names))
    ]


@functools.cache
def _idle() -> frozenset[str]:
    found: set[str] = set()
    for lists in _data().values():
        idle = lists["idle"]
        assert isinstance(idle, list)
        found |= {fold(word) for word in idle}
    return frozenset(found)
