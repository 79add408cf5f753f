"""Turns of phrase that say a thing otherwise: 'our first sale', 'has been here the longest'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import intent as intents
from retrieval.sql import lexicon

if TYPE_CHECKING:
    from retrieval.sql.intent import Superlative
    from retrieval.sql.reading import Reading

SIZES = frozenset({"cm", "mm", "cl", "ml"})


def all_of(reading: Reading) -> None:
    """Each of them, once the intents and the names in a question are known."""
    _first_rows(reading)
    _longest(reading)
    _one_row(reading)


def sizes(reading: Reading) -> None:
    """'27 cm' behind an article whose name holds the number: the unit says nothing more."""
    for place, word in enumerate(reading.words):
        sized = word in SIZES and place and reading.words[place - 1].isdigit()
        if sized and reading.marks[place - 1] == "value" and not reading.marks[place]:
            reading.marks[place] = "idle"


def _first_rows(reading: Reading) -> None:
    """'our first sale', 'who joined first': the earliest, where a date and no other edge is said."""
    if reading.intent.superlative is not None or not _dated(reading):
        return
    for place, word in enumerate(reading.words):
        if reading.marks[place] or (word,) not in lexicon.phrases("first_of_all"):
            continue
        near = (place - 1, place + 1, place + 2)
        event = any(n in reading.titles or _names_date(reading, n) for n in near)
        asked = reading.intent.when or reading.intent.who or _asks_date(reading)
        if event and asked:
            reading.intent.superlative = _earliest(place)
            reading.marks[place] = "intent"
            return


def _longest(reading: Reading) -> None:
    """'Who has been in the department the longest': the one hired first."""
    found, intent = reading.intent.superlative, reading.intent
    if found is None or not intent.who or reading.words[found.place] != "longest":
        return
    if any((word,) in lexicon.phrases("staying") for word in reading.words) and _dated(reading):
        intent.superlative = _earliest(found.place)


def _earliest(place: int) -> Superlative:
    return intents.Superlative(-1, "date", False, place)


def _dated(reading: Reading) -> bool:
    return any(column.kind == "date" for column in reading.table.columns)


def _names_date(reading: Reading, place: int) -> bool:
    mention = reading.mention_at(place)
    return mention is not None and mention.columns[0].kind == "date"


def _asks_date(reading: Reading) -> bool:
    dated = {"date", "day"}
    return any(lexicon.concepts(word) & dated for word in reading.words)


def _one_row(reading: Reading) -> None:
    """'on one sale', 'in any single order': one row is meant."""
    for place, word in enumerate(reading.words):
        one = word in {"one", "uma", "um"} and not reading.marks[place]
        if one and (place + 1 in reading.titles or place + 2 in reading.titles):
            reading.marks[place] = "idle"
