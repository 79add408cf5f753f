"""Conditions on rows, from the values, periods and numbers that a question names."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from retrieval.sql import lexicon, matching, measures
from retrieval.sql.periods import UNSETTLED, Period, period_of_value
from retrieval.sql.plan import Condition, Op

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column
    from retrieval.sql.intent import Comparison
    from retrieval.sql.reading import Reading

Literals = tuple[str | int | float | bool | dt.date, ...]

EVENTS = frozenset({"sale", "purchase", "order", "payment", "invoice", "transaction", "event"})


class Unclear(Exception):
    """The question cannot be read against this table. `args[0]` is a key of the phrase book."""

    def __init__(self, reason: str, **said: str) -> None:
        super().__init__(reason)
        self.reason, self.said = reason, said


def conditions(reading: Reading) -> tuple[Condition, ...]:
    """All conditions of a reading. Raises Unclear where a word fits more than one column."""
    said = dict.fromkeys(span.period for span in reading.periods if span.period != Period())
    loose = [period for period in said if period.recurring]
    if len(said) > 2 or (len(said) == 2 and len(loose) != 1):
        raise Unclear("several_periods")
    found = [*values(reading), *_flags(reading)]
    for period in said:
        found += [c for c in period_conditions(reading, period) if c not in found]
    found += [compared(reading, comparison) for comparison in reading.comparisons]
    found += [Condition(column, op, other=other) for column, op, other in reading.held]
    return tuple(found)


def values(reading: Reading) -> list[Condition]:
    equal: dict[tuple[str, Op], list[str]] = {}
    negated: set[int] = set()
    for match in reading.values:
        column = one_column(reading, match)
        place = match.places[0]
        denied = [at for at in reading.intent.excepts if 0 < place - at <= 4]
        negated.update(denied)
        if not denied:
            after = [at for at in reading.intent.negations if _reaches(reading, at, place)]
            denied = after
            negated.update(after)
        op = Op.NE if denied else Op.EQ
        kept = equal.setdefault((column, op), [])
        kept.extend(value for value in match.columns[column] if value not in kept)
    if {*reading.intent.excepts, *reading.intent.negations} - negated:
        raise Unclear("negation")
    return [
        Condition(column, op, typed(reading.table.column(column), listed))
        for (column, op), listed in equal.items()
    ]


def _reaches(reading: Reading, at: int, place: int) -> bool:
    """Whether 'not' at one place denies the value at another: near it, or with only a column's name
    and small words between, as in 'não estão com contrato sem termo'."""
    between = reading.marks[at + 1 : place]
    return 0 < place - at <= 3 or (0 < place - at <= 5 and {*between} <= {"idle", "column", ""})


def typed(column: Column, said: list[str]) -> Literals:
    return tuple(int(value) if column.kind == "integer" else value for value in said)


def one_column(reading: Reading, match: matching.ValueMatch) -> str:
    """The column a value belongs to: the only one, the one named beside it, or the one it is to/from."""
    if len(match.columns) == 1:
        return next(iter(match.columns))
    place = match.places[0]
    near = sorted(reading.mentions, key=lambda mention: abs(mention.places[0] - place))
    for mention in near:
        for column in mention.columns:
            if column.sql_name in match.columns:
                return column.sql_name
    before = reading.words[place - 1] if place else ""
    for phrase, concept in (("to_place", "destination"), ("from_place", "origin")):
        if (before,) in lexicon.phrases(phrase):
            meant = [
                name
                for name in match.columns
                if matching.has_concept(reading.table.column(name), concept)
            ]
            if len(meant) == 1:
                return meant[0]
    whole = [name for name, held in match.columns.items() if len(held) == 1]
    if len(whole) == 1:
        return whole[0]
    labels = ", ".join(reading.table.column(name).label for name in match.columns)
    raise Unclear("value_in_columns", word=reading.words[place], columns=labels)


def _flags(reading: Reading) -> list[Condition]:
    """A yes-or-no column that is named is asked to be true."""
    return [
        Condition(mention.columns[0].sql_name, Op.EQ, (True,))
        for mention in reading.mentions
        if mention.columns[0].kind == "boolean"
    ]


def date_column(reading: Reading) -> Column | None:
    """The date column that is meant: one that is named, else when the rows took place."""
    dates = [column for column in reading.table.columns if column.kind == "date"]
    for mention in reading.mentions:
        for column in mention.columns:
            if column in dates:
                return column
    return next((column for column in dates if _unsaid(reading, column)), None)


def _unsaid(reading: Reading, column: Column) -> bool:
    """Whether the column is when its rows took place, so that 'in 2024' is about it. A date of hiring
    or of delivery is something else, and has to be named."""
    others = [
        word
        for word in matching.header_words(column.label)
        if not lexicon.concepts(word) & {"date", "day", "month", "time"}
    ]
    return all(
        matching.title_likeness(reading.known, word) >= 0.8 or lexicon.concepts(word) & EVENTS
        for word in others
    )


def part_column(reading: Reading, concept: str) -> Column | None:
    """A column that holds a month or a year by itself."""
    for column in reading.table.columns:
        if column.kind in {"integer", "text"} and matching.has_concept(column, concept):
            return column
    if concept == "month":
        return next((c for c in reading.table.columns if matching.is_period(c)), None)
    return None


def period_conditions(reading: Reading, period: Period) -> list[Condition]:
    if period is UNSETTLED:
        raise Unclear("no_year")
    if period == Period():
        return []
    column = date_column(reading)
    if column is not None:
        reading.score += 0.7
        if period.recurring:
            return [Condition(column.sql_name, Op.MONTH, period.months)]
        if period.start is None or period.end is None:
            op, day = (Op.LT, period.end) if period.start is None else (Op.GE, period.start)
            return [Condition(column.sql_name, op, (day,))] if day else []
        return [Condition(column.sql_name, Op.RANGE, (period.start, period.end))]
    return _period_in_parts(reading, period)


def _period_in_parts(reading: Reading, period: Period) -> list[Condition]:
    """A period on columns that hold months and years apart, or on a table that is of one year."""
    listed = _months(period)
    if not listed:
        raise Unclear("no_date")
    years = tuple(dict.fromkeys(year for year, _ in listed if year is not None))
    year_column, month_column = part_column(reading, "year"), part_column(reading, "month")
    whole = len(listed) == 12 * len(years) and bool(years)
    found = []
    dated = month_column is not None and any(
        (period_of_value(v) or (None,))[0] for v in month_column.values
    )
    if years and year_column is not None:
        wanted: Literals = tuple(years)
        if year_column.kind == "text":
            wanted = tuple(str(year) for year in years)
        found.append(Condition(year_column.sql_name, Op.EQ, wanted))
    elif years and not dated and not set(years) <= reading.known.years:
        raise Unclear("no_date")
    if not whole or (dated and year_column is None):
        if month_column is None:
            raise Unclear("no_date")
        if len(years) > 1 and not dated:
            raise Unclear("no_date")
        found.append(_month_condition(month_column, listed))
    reading.score += 1.0
    return found


def _months(period: Period) -> list[tuple[int | None, int]]:
    if period.recurring:
        return [(None, month) for month in period.months]
    start, end = period.start, period.end
    if start is None or end is None or start.day != 1 or end.day != 1:
        return []
    listed: list[tuple[int | None, int]] = []
    while start < end and len(listed) < 600:
        listed.append((start.year, start.month))
        start = dt.date(start.year + start.month // 12, start.month % 12 + 1, 1)
    return listed


def _month_condition(column: Column, wanted: list[tuple[int | None, int]]) -> Condition:
    months = tuple(dict.fromkeys(month for _, month in wanted))
    if column.kind == "integer":
        return Condition(column.sql_name, Op.EQ, months)
    chosen = []
    for value in column.values:
        said = period_of_value(value)
        if said and any(
            month == said[1] and (year is None or said[0] is None or year == said[0])
            for year, month in wanted
        ):
            chosen.append(value)
    if not chosen:
        raise Unclear("no_month", column=column.label, values=", ".join(column.values[:12]))
    return Condition(column.sql_name, Op.EQ, tuple(chosen))


def compared(reading: Reading, comparison: Comparison) -> Condition:
    column = compared_column(reading, comparison)
    numbers: Literals = tuple(int(v) if v.is_integer() else v for v in comparison.values)
    reading.score += 0.7
    return Condition(column.sql_name, comparison.op, numbers)


def compared_column(reading: Reading, comparison: Comparison, *, summed: bool = False) -> Column:
    """The numeric column nearest to the number, by name, then by unit, then the only one."""
    numeric = [
        column
        for column in measures.measures(reading.table)
        if not matching.has_concept(column, "minimum", "maximum")
    ]
    first, last = comparison.places[0], comparison.places[-1]
    near = []
    for mention in reading.mentions:
        column = measures.named(reading, mention)
        if column is not None:
            gap = (
                first - mention.places[-1]
                if mention.places[-1] < first
                else mention.places[0] - last + 1
            )
            near.append((gap, column))
    if near and min(near, key=lambda pair: pair[0])[0] <= 6:
        return min(near, key=lambda pair: pair[0])[1]
    if comparison.unit in lexicon.unit_words("money"):
        numeric = [column for column in numeric if measures.is_money(column)]
    elif comparison.unit in lexicon.unit_words("quantity"):
        numeric = [column for column in numeric if measures.is_quantity(column)]
    elif comparison.unit in lexicon.unit_words("age"):
        numeric = [c for c in numeric if matching.has_concept(c, "age", "seniority", "duration")]
    if summed:
        numeric = [column for column in numeric if measures.additive(column)] or numeric
    if len(numeric) > 1:
        default = measures.default_measure(reading)
        numeric = [default] if default in numeric and reading.titles else numeric
    if len(numeric) != 1:
        raise Unclear("no_number_column")
    return numeric[0]
