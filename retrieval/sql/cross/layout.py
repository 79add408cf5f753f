"""Tables whose rows are items and whose columns are years: the layout of financial statements. Pure."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.tabular.across import year_of
from engines.language import fold

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column, Table

# Columns made from others: what a year's column is held against, and no year of their own.
DERIVED = re.compile(
    r"\b(change|variance|difference|increase|decrease|growth|variacao|diferenca|percent|yoy)\b|%|\bvar\b"
)
IN = r"\b(?:in|em) (?:[a-z$€£.]+ )*"
SCALES = (
    (
        "thousand",
        re.compile(
            IN + r"(?:thousands?|milhares)\b|['’‘´`]000|\b000s\b"
            r"|\bthousands? of\b|\bmilhares de\b"
        ),
    ),
    (
        "million",
        re.compile(
            IN
            + r"(?:millions?|milhoes)\b|\bmillions? of\b|\bmilhoes de\b|[$€£] ?m(?:n|m|illions?)?\b"
            r"|\b[a-z]{3}[’']?million\b|\b(?:usd|eur|gbp|rmb)m\b"
        ),
    ),
    ("billion", re.compile(IN + r"billions?\b|[$€£] ?bn\b")),
)
# Figures that a scale for money says nothing of.
APART = re.compile(
    r"\b(per|por) (share|day|unit|acao|dia|unidade)\b|\b(ratio|rate|margin|yield|taxa|racio|margem)\b|%"
)


@dataclass(frozen=True, slots=True)
class Period:
    """A column that holds one year's figures, or one sort of them ("2019 / Women")."""

    column: Column
    year: int


@dataclass(frozen=True, slots=True)
class Cross:
    """`key` names the items; the periods are in the order of the columns."""

    table: Table
    key: Column
    periods: tuple[Period, ...]

    @property
    def years(self) -> tuple[int, ...]:
        """Each year once, the earliest first."""
        return tuple(sorted({period.year for period in self.periods}))

    def scale_of(self, period: Period, label: str) -> str:
        """The scale in which the table gives an item's figures: "" where it says none."""
        if APART.search(fold(label)) or APART.search(fold(period.column.label)):
            return ""
        said = [period.column.label, self.key.label, self.key.unit, self.table.title]
        said += [value for column in self.table.columns for value in column.values if "(" in value]
        said += [value for column in self.table.columns[1:] for value in column.values[:2]]
        return next((found for text in said if (found := scale_in(text))), "")


@functools.lru_cache(maxsize=2_000)
def scale_in(text: str) -> str:
    """thousand, million or billion where a text says that figures are in them."""
    folded = fold(text)
    return next((name for name, sign in SCALES if sign.search(folded)), "")


def cross_of(table: Table) -> Cross | None:
    """The table as items by years; None for one that is laid out otherwise."""
    if len(table.columns) < 3 or table.columns[0].kind != "text":
        return None
    key, *rest = table.columns
    dated = ((column, year_of(column.label)) for column in rest)
    periods = tuple(
        Period(column, year) for column, year in dated if year and column.kind != "date"
    )
    derived = [c for c in rest if not year_of(c.label) and DERIVED.search(fold(c.label))]
    others = len(rest) - len(periods) - len(derived)
    if len({period.year for period in periods}) < 2 or others > len(periods):
        return None
    return Cross(table, key, periods)
