"""What a column holds, decided from all its cells together."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from corpus.tabular import dates
from corpus.tabular.cells import SIMPLE, Cell, Marks, marks, number, text_of
from corpus.tabular.cells import TEXT as NO_FIGURE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SIGNS = {"point": ".", "comma": ","}
# In a long column of figures a few odd cells ("see note") are left empty: one in fifty at most.
DAY_WORDS = re.compile(r"(data|dia|fecha|datum)\b")
MANY, FEW, SETTLED = 50, 0.02, 1_000
OPEN_NUMBER = "numbers such as {} may mean thousands or decimals; kept as text"
OPEN_DATE = "dates such as {} may begin with the day or the month; kept as text"
ODD = "{} of {} cells are no figures (such as “{}”) and were left empty"
TIMES = "the time of day was left out; it stands in the cells as they were"


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a column is read: its kind, the converter of one cell, and a warning (or empty).

    `decimal` is "point" or "comma" where the cells show which, `order` the order of day and month.
    """

    kind: str
    convert: Callable[[Cell], object]
    warning: str = ""
    decimal: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class Hints:
    """What else is known: how the table's other columns write numbers and dates, or a person's choice."""

    decimal: str = ""
    order: str = ""
    chosen: str = ""

    def under(self, label: str) -> Hints:
        """The hints for a column of this folded name: languages that say "data" write the day first."""
        known = self.order or not DAY_WORDS.match(label)
        return self if known else replace(self, order=dates.DAY_FIRST)


@dataclass(slots=True)
class Evidence:
    """What the cells of a column can be, counted, with one example of each sort."""

    counts: Counter[Marks] = field(default_factory=Counter)
    examples: dict[Marks, str] = field(default_factory=dict)

    def add_all(self, cells: Sequence[Cell]) -> None:
        """Take the filled ones among these cells into account.

        A column that has shown to be text is only counted any further.
        """
        if self.counts[NO_FIGURE] > SETTLED and self.counts[NO_FIGURE] * 2 > self.counts.total():
            self.counts[NO_FIGURE] += sum(map(bool, cells))
            return
        for cell, times in Counter(cells).items():
            text = text_of(cell)
            if text:
                found = marks(cell)
                self.examples.setdefault(found, text[:40])
                self.counts[found] += times

    def signs(self) -> frozenset[str]:
        """The currency and per cent signs that stand in the cells."""
        return frozenset(sign for found in self.counts for sign in found if sign in "€$£%")


def conversion(cells: Iterable[Cell], hints: Hints | None = None) -> Conversion:
    """The narrowest kind that fits every filled cell; text when none does or the format is open."""
    evidence = Evidence()
    evidence.add_all(list(cells))
    return decide(evidence, hints or Hints())


def decide(evidence: Evidence, hints: Hints) -> Conversion:
    """The same from counted evidence."""
    filled = Counter({m: n for m, n in evidence.counts.items() if "missing" not in m})
    if not filled:
        return TEXT
    if all(found & {"true", "false"} for found in filled) and (len(filled) > 1 or _typed(filled)):
        return Conversion("boolean", _boolean)
    strays = {m: n for m, n in filled.items() if not _figure(m)}
    odd = sum(strays.values())
    total = sum(filled.values())
    if odd and (total < MANY or odd > total * FEW):
        return TEXT
    for stray in strays:
        del filled[stray]
    found = _date(filled, evidence, hints)
    if found is None and not any(dates.ANY in m or dates.DAY_FIRST in m for m in filled):
        found = _numeric(filled, evidence, hints)
    if found is None or found.kind == "text" or not odd:
        return found or TEXT
    example = evidence.examples[next(iter(strays))]
    return replace(
        found, warning="; ".join(filter(None, [ODD.format(odd, total, example), found.warning]))
    )


def agreed(found: Iterable[Conversion]) -> Hints:
    """What the columns of a table that show how they write numbers and dates agree on."""
    known = list(found)
    decimals = {item.decimal for item in known} - {""}
    orders = {item.order for item in known} - {""}
    decimal = decimals.pop() if len(decimals) == 1 else ""
    # Who writes a decimal comma writes the day first.
    order = orders.pop() if len(orders) == 1 else dates.DAY_FIRST if decimal == "comma" else ""
    return Hints(decimal, order)


def _typed(filled: Counter[Marks]) -> bool:
    return all("typed" in found for found in filled)


def _figure(found: Marks) -> bool:
    return bool(found & {"point", "comma", dates.ANY, dates.DAY_FIRST, dates.MONTH_FIRST})


def _numeric(filled: Counter[Marks], evidence: Evidence, hints: Hints) -> Conversion | None:
    if any("code" in found for found in filled) or all("calling" in found for found in filled):
        return None
    fitting = [name for name in SIGNS if all(name in found for found in filled)]
    open_ = next((found for found in filled if "group" in found), None)
    plain = len(fitting) == 1
    if hints.chosen:
        fitting = [name for name in fitting if name == hints.chosen]
    elif len(fitting) > 1 and open_ is not None:
        fitting = [
            name for name in fitting if name == (_by_sign(evidence.signs()) or hints.decimal)
        ]
        if not fitting:
            return replace(TEXT, warning=OPEN_NUMBER.format(evidence.examples[open_]))
    if not fitting:
        return None
    name = fitting[0]
    shown = name if plain else ""
    # Where a cell may be none of the figures, each has to be looked at before it is converted.
    sure = all(name in found for found in evidence.counts)
    if all(f"whole_{name}" in found for found in filled):
        return Conversion("integer", _number(name, sure=sure, make=int), decimal=shown)
    return Conversion("number", _number(name, sure=sure, make=Decimal), decimal=shown)


def _by_sign(signs: frozenset[str]) -> str:
    if signs & {"$", "£"}:
        return "" if "€" in signs else "point"
    return "comma" if "€" in signs else ""


def _date(filled: Counter[Marks], evidence: Evidence, hints: Hints) -> Conversion | None:
    orders = [
        order
        for order in (dates.DAY_FIRST, dates.MONTH_FIRST)
        if all(found & {order, dates.ANY} for found in filled)
    ]
    if not orders:
        return None
    figures = [found for found in filled if dates.ANY not in found]
    open_ = next((found for found in figures if "swap" in found), None)
    shown = orders[0] if len(orders) == 1 else ""
    if len(orders) > 1 and open_ is not None:
        order = _monthly(figures) or hints.order
        if not order:
            return replace(TEXT, warning=OPEN_DATE.format(evidence.examples[open_]))
        orders = [order]
    timed = any("time" in found for found in filled)
    return Conversion("date", _day(orders[0]), TIMES if timed else "", order=shown)


def _monthly(figures: list[Marks]) -> str:
    """A series of first days of months shows which figure is the day."""
    first = all("day_one" in found for found in figures)
    second = all("month_one" in found for found in figures)
    if first == second:
        return ""
    return dates.DAY_FIRST if first else dates.MONTH_FIRST


def _text(cell: Cell) -> object:
    return text_of(cell) or None


TEXT = Conversion("text", _text)


def _boolean(cell: Cell) -> object:
    found = marks(cell)
    return None if not found & {"true", "false"} else "true" in found


def _number(
    name: str, *, sure: bool, make: Callable[[Decimal], object]
) -> Callable[[Cell], object]:
    sign = SIGNS[name]

    def convert(cell: Cell) -> object:
        if make is int and isinstance(cell, str) and SIMPLE.fullmatch(cell):
            return int(cell)
        return make(number(cell, sign)) if sure or name in marks(cell) else None

    return convert


def _day(order: str) -> Callable[[Cell], object]:
    def convert(cell: Cell) -> object:
        if isinstance(cell, dt.datetime):
            return cell.date()
        if not isinstance(cell, str):
            return cell if isinstance(cell, dt.date) else None
        days, _timed = dates.readings(cell.strip())
        return days.get(dates.ANY) or days.get(order)

    return convert
