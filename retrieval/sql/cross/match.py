"""Which item of which table a question means, and which columns. Pure.

Every word has to find its place: in the item's name, in the name of the columns or the table, or in
another item's name (a section says more of those below it). What is left over, and what the item's name
says beyond the question, counts against it; the table and the item with the least against them are taken.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.language import fold
from retrieval.sql import lexicon
from retrieval.sql.cross.asked import IDLE, Op, function_words
from retrieval.sql.cross.layout import DERIVED, cross_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.sql.catalogue import Table
    from retrieval.sql.cross.asked import Asked
    from retrieval.sql.cross.layout import Cross, Period

NOTE = re.compile(r"\(\s*[\da-z]{1,2}\s*\)|[*†‡¹²³]")
SAME = 0.8
LEFT_OVER, ELSEWHERE, HEADED, UNSAID, LIKE = 1.0, 0.25, 0.05, 0.35, 0.5
# How much may be against an item, how far the next table has to be behind, and when a few words
# may be left over: where only a handful of tables was asked.
MOST_AGAINST, APART, FEW_TABLES, MOST_ITEMS, MOST_NEAR = 1.6, 0.3, 5, 3, 40


@dataclass(frozen=True, slots=True)
class Match:
    """`items` are names as stored, the likeliest first: the next serves where one has no figures, as
    a heading has none. `sections` are other names of rows that the question says too."""

    cross: Cross
    items: tuple[str, ...]
    periods: tuple[Period, ...]
    against: float
    sections: tuple[str, ...] = ()


def best(asked: Asked, tables: Sequence[Table]) -> Match | None:
    """The item that the question means; None when none does, or two tables do equally."""
    crosses = [cross for table in tables if (cross := cross_of(table)) is not None]
    few = len(tables) <= FEW_TABLES
    found = [match for cross in crosses if (match := _best_of(asked, cross, few=few)) is not None]
    found.sort(key=lambda match: match.against)
    if not found or (len(found) > 1 and found[1].against - found[0].against < APART):
        return None
    return found[0]


@dataclass(frozen=True, slots=True)
class _Index:
    """The items of a table with their words, the places of those that share a key of `lexicon.keys`, and
    the keys of the words of the headers and the title."""

    rows: tuple[tuple[str, tuple[str, ...]], ...]
    places: dict[str, tuple[int, ...]]
    around: frozenset[str]


@functools.lru_cache(maxsize=1_000)
def _index(cross: Cross) -> _Index:
    """A table is looked at with every question; its words are taken apart once."""
    rows = tuple((value, words) for value in cross.key.values if (words := label_words(value)))
    places: dict[str, list[int]] = {}
    for at, (_, words) in enumerate(rows):
        for key in _keys(words):
            places.setdefault(key, []).append(at)
    said = [cross.key.label, cross.table.title, *(c.label for c in cross.table.columns)]
    around = _keys(word for text in said for word in label_words(text))
    return _Index(rows, {key: tuple(held) for key, held in places.items()}, around)


def _keys(words: Iterable[str]) -> frozenset[str]:
    return frozenset(key for word in words for key in lexicon.keys(word))


def _best_of(asked: Asked, cross: Cross, *, few: bool) -> Match | None:
    if not asked.words or not set(asked.years) <= set(cross.years):
        return None
    index = _index(cross)
    allowed = (len(asked.words) + 1) // 4 if few else 0
    if sum(not _known(word, index) for word in asked.words) > allowed:
        return None
    rows = _near(asked, index)
    weighed = [
        (against, value)
        for value, words in rows
        if (against := _against(asked, words, index, few=few)) is not None
    ]
    if not weighed:
        return None
    weighed.sort(key=lambda pair: (pair[1].rstrip().endswith(":"), pair[0]))
    against = weighed[0][0]
    items = tuple(value for much, value in weighed if much - against < APART)[:MOST_ITEMS]
    periods = _periods(asked, cross, items[0])
    if not periods:
        return None
    sections = tuple(
        value
        for value, words in rows
        if value not in items[:1] and all(_like(word, asked.words) for word in words)
    )
    return Match(cross, items, periods, against, sections)


def _known(word: str, index: _Index) -> bool:
    """Whether the word stands anywhere in the table's names."""
    keys = lexicon.keys(word)
    return not index.around.isdisjoint(keys) or any(key in index.places for key in keys)


def _near(asked: Asked, index: _Index) -> list[tuple[str, tuple[str, ...]]]:
    """The items that share the most words with the question, in the order of the table."""
    hits: Counter[int] = Counter()
    for word in {*asked.words, *asked.loose}:
        hits.update({at for key in lexicon.keys(word) for at in index.places.get(key, ())})
    ranked = sorted(hits, key=lambda at: (-hits[at], len(index.rows[at][1]), at))
    return [index.rows[at] for at in sorted(ranked[:MOST_NEAR])]


def _against(
    asked: Asked,
    label: tuple[str, ...],
    index: _Index,
    *,
    few: bool,
) -> float | None:
    """What speaks against an item of these words: 0 for the very words; None for too much."""
    total, left, met = 0.0, 0, 0
    for word in asked.words:
        near = _like(word, label)
        if near:
            met += 1
            total += LIKE * (1 - near)
        elif not index.around.isdisjoint(lexicon.keys(word)):
            total += HEADED
        elif any(key in index.places for key in lexicon.keys(word)):
            total += ELSEWHERE
        else:
            left += 1
            total += LEFT_OVER
    met += sum(word not in IDLE and bool(_like(word, label)) for word in asked.loose)
    own = [word for word in label if word not in IDLE]
    unsaid = [word for word in own if not _like(word, (*asked.words, *asked.loose))]
    idle = [word for word in label if word in IDLE]
    said = {word for word in idle if _like(word, asked.loose)}
    total += UNSAID * len(unsaid) + 0.1 * (len(idle) - len(said))
    total += 0.05 * sum(word == "total" and word not in label for word in asked.loose)
    if not own and "total" in label and "total" in asked.loose:
        met = 1  # the total of what the table is about
    if not met or 3 * len(unsaid) > 2 * len(own) or (own and met * 2 < len(own)):
        return None
    allowed = (len(asked.words) + 1) // 4 if few else 0
    return total if left <= allowed and total <= MOST_AGAINST else None


def _like(word: str, others: Iterable[str]) -> float:
    """How like the likeliest of `others` is; 0 below the likeness that counts."""
    near = max((lexicon.likeness(word, other) for other in others), default=0.0)
    return near if near >= SAME else 0.0


@functools.lru_cache(maxsize=20_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of an item's name, without marks of notes; with the idle ones, each once."""
    plain = NOTE.sub(" ", label)
    idle = function_words()
    found = [token.text.strip("-'’") for token in lexicon.tokens(plain)]
    return tuple(dict.fromkeys(word for word in found if len(word) > 1 and word not in idle))


def _periods(asked: Asked, cross: Cross, item: str) -> tuple[Period, ...]:
    """One column for each year that is asked for, in the order in which the years were said."""
    years = asked.years or cross.years
    if asked.span and len(asked.years) == 2 and asked.op in {Op.AVERAGE, Op.SUM, Op.YEAR, Op.YEARS}:
        first, last = sorted(asked.years)
        years = tuple(year for year in cross.years if first <= year <= last)
    if asked.op in {Op.CHANGE, Op.PERCENT}:
        years = tuple(sorted(years))
        years = (years[0], years[-1]) if len(years) > 1 else years
    rest = [word for word in (*asked.words, *asked.loose) if not _like(word, label_words(item))]
    found = [_column(asked, rest, [p for p in cross.periods if p.year == year]) for year in years]
    return tuple(period for period in found if period is not None) if all(found) else ()


def _column(asked: Asked, rest: Sequence[str], periods: Sequence[Period]) -> Period | None:
    """Of several columns of one year the one whose name the question says more of, beside the item.

    A share is meant only where one is asked for; of equals the first is taken.
    """
    if not periods:
        return None
    share = asked.op is not Op.PERCENT and any(word.startswith("percent") for word in rest)

    def rank(period: Period) -> tuple[bool, float]:
        words = label_words(period.column.label)
        derived = bool(DERIVED.search(fold(period.column.label)))
        return (derived != share, -sum(_like(word, rest) for word in words))

    return min(periods, key=rank)
