"""Stored values that a question names in part: 'pearl grey' for 'cinza-pérola'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import lexicon, matching

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column
    from retrieval.sql.reading import Reading

# A number or a direction alone names no row by half of its name: 'South' is not 'Decor South'.
DIRECTIONS = frozenset({"north", "south", "east", "west", "centre", "islands"})


def values(reading: Reading) -> list[matching.ValueMatch]:
    """The values that the words left over stand in, a run of neighbours narrowing them down."""
    free = [p for p in reading.free() if len(reading.words[p]) > 2 or _numbers(reading, p)]
    found = matching.values_partial(reading.words, _runs(reading, free), reading.known)
    found = [_common(reading, match) for match in found]
    weak = [
        m
        for m in found
        if not m.columns
        or all(
            reading.words[p].isdigit() or lexicon.concepts(reading.words[p]) & DIRECTIONS
            for p in m.places
        )
    ]
    return [m for m in found if m not in weak]


def _runs(reading: Reading, places: list[int]) -> list[list[int]]:
    """Neighbouring places, over 'de' and 'of'."""
    runs: list[list[int]] = []
    for place in places:
        between = reading.words[runs[-1][-1] + 1 : place] if runs else []
        if runs and all(word in {"de", "do", "da", "dos", "das", "of", "the"} for word in between):
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _numbers(reading: Reading, place: int) -> bool:
    """Whether a number may narrow a value down: it stands right behind a word of its own, and is no count."""
    return reading.words[place].isdigit() and place > 0 and not reading.marks[place - 1]


def _common(reading: Reading, match: matching.ValueMatch) -> matching.ValueMatch:
    """The match without columns of proper names, unless the word itself stands there."""
    if match.likeness >= 0.9:
        return match
    kept = {n: v for n, v in match.columns.items() if not _proper(reading.table.column(n))}
    return matching.ValueMatch(match.places, kept, match.likeness)


def _proper(column: Column) -> bool:
    """Whether the column holds proper names, which are not translated word by word."""
    return matching.has_concept(column, "customer", "supplier", "name", "employee", "seller")
