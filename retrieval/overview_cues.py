"""Whether a question asks for an overview of the documents, and of which topic. Pure."""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from engines.language import WORD, fold, stop_words

# The stage of a decision that this module takes.
OVERVIEW = "overview"
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Overview:
    """What was asked: the phrase that says so, as typed, and the topic, empty for all documents."""

    cue: str
    topic: str


def overview_asked(text: str) -> Overview | None:
    """What overview `text` asks for; None when it asks for something else."""
    typed = WORD.findall(text)
    folded = tuple(fold(word) for word in typed)
    found = _found(folded)
    if found is None:
        return None
    start, end = found
    idle = _idle() | stop_words("")
    rest = [
        word
        for place, word in enumerate(typed)
        if not start <= place < end and folded[place] not in idle and len(word) > 1
    ]
    return Overview(" ".join(typed[start:end]), " ".join(rest))


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
