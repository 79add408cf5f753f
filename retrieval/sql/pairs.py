"""Plans for two sides, for a part and its whole, and for the largest beside the smallest."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.sql import amounts, choose, filters, lexicon, matching, measures, rates, targets
from retrieval.sql.filters import Unclear
from retrieval.sql.periods import Period, Span, month_after, whole_year
from retrieval.sql.plan import Aggregate, Condition, Form, Op, Plan

if TYPE_CHECKING:
    from retrieval.sql.matching import ValueMatch
    from retrieval.sql.reading import Reading
    from retrieval.sql.targets import Target
    from retrieval.sql.wishes import Wish


def plan(reading: Reading, said: list[lexicon.Token], wish: Wish) -> Plan:
    """The plan of a wish. Raises Unclear where the table shows no two sides or no part."""
    if reading.minus:
        raise Unclear("negation")
    reading.pair = True
    asked = targets.target(reading) if wish.form is Form.SHARE else None
    reading.intent.which, reading.intent.who = [], False
    if wish.form is Form.SPREAD:
        return _spread(reading, said)
    if wish.form is Form.SHARE:
        return _share(reading, said, asked)
    sides = _by_values(reading) or _by_periods(reading, wish)
    if sides is None:
        raise Unclear("comparison")
    reading.intent.superlative = None
    made = _amount(reading, said)
    return replace(made, form=Form.DIFFERENCE, sides=sides)


def _amount(reading: Reading, said: list[lexicon.Token]) -> Plan:
    """One amount over the rows that are common to both sides."""
    made = choose.plan(reading, said)
    if made.aggregate in {Aggregate.NONE, Aggregate.MIN, Aggregate.MAX} or made.groups:
        raise Unclear("comparison")
    return made


def _by_values(reading: Reading) -> tuple[tuple[Condition, ...], ...] | None:
    """Two values of one column, which is then no filter and needs no name beside them."""
    columns: dict[str, list[ValueMatch]] = {}
    for match in reading.values:
        name = filters.one_column(reading, match)
        same = [m for m in columns.setdefault(name, []) if m.columns[name] == match.columns[name]]
        if not same:
            columns[name].append(match)
    twice = [name for name, found in columns.items() if len(found) == 2]
    if len(twice) != 1 or any(len(found) > 2 for found in columns.values()):
        return None
    name = twice[0]
    if reading.intent.excepts or reading.intent.negations:
        return None
    column = reading.table.column(name)
    sides = tuple(
        (Condition(name, Op.EQ, filters.typed(column, [*match.columns[name]])),)
        for match in sorted(columns[name], key=lambda match: match.places)
    )
    reading.values = [m for m in reading.values if filters.one_column(reading, m) != name]
    _drop(reading, {name})
    return sides


def _by_periods(reading: Reading, wish: Wish) -> tuple[tuple[Condition, ...], ...] | None:
    spans = [span for span in reading.periods if span.period != Period()]
    loose = [span for span in spans if span.period.recurring]
    years = [span for span in spans if not span.period.recurring]
    if len(years) == 2 and len(loose) == 1:
        years = [_within(span, loose[0].period.months) for span in years]
    elif len(loose) == 2 and len(years) == 1 and years[0].period.start is not None:
        year = years[0].period.start.year
        years = [Span(s.first, s.last, _months(year, s.period.months)) for s in loose]
    elif len(loose) == 2 and not years:
        years = loose
    elif loose:
        return None
    if len(years) == 1 and wish.changes:
        before = _year_before(years[0].period)
        years = [Span(-1, -1, before), *years] if before else years
    if len(years) != 2:
        return None
    years = _same_months(years)
    if all(span.period.start for span in years):
        years.sort(key=lambda span: span.period.start or dt.date.min)
    if any(span.period.end is None and not span.period.months for span in years):
        return None
    sides = tuple(tuple(filters.period_conditions(reading, span.period)) for span in years)
    reading.periods = []
    _drop(reading, {c.column for side in sides for c in side})
    return sides


def _same_months(spans: list[Span]) -> list[Span]:
    """'December: 2024 against 2025' is of both Decembers. Raises Unclear for a month after a year."""
    one, two = spans
    if whole_year(one.period) and not whole_year(two.period) and two.period.start:
        raise Unclear("comparison")
    start, end = one.period.start, one.period.end
    if not whole_year(two.period) or whole_year(one.period) or start is None or end is None:
        return spans
    if start.day != 1 or end.day != 1 or end > dt.date(start.year + 1, 1, 1):
        return spans
    last = 12 if end.year > start.year else end.month - 1
    return [one, _within(two, tuple(range(start.month, last + 1)))]


def _within(span: Span, months: tuple[int, ...]) -> Span:
    start = span.period.start
    assert start is not None
    return Span(span.first, span.last, _months(start.year, months))


def _months(year: int, months: tuple[int, ...]) -> Period:
    return Period(dt.date(year, months[0], 1), month_after(year, months[-1]))


def _year_before(period: Period) -> Period | None:
    start, end = period.start, period.end
    if start is None or end != dt.date(start.year + 1, 1, 1) or (start.month, start.day) != (1, 1):
        return None
    return Period(dt.date(start.year - 1, 1, 1), start)


def _drop(reading: Reading, names: set[str]) -> None:
    """Take away the names of columns that the sides have settled."""
    reading.mentions = [
        mention
        for mention in reading.mentions
        if not names & {column.sql_name for column in mention.columns}
        or measures.named(reading, mention) is not None
    ]


def _spread(reading: Reading, said: list[lexicon.Token]) -> Plan:
    column = amounts.named_measure(reading)
    if column is None:
        raise Unclear("no_measure")
    reading.intent.superlative = None
    return Plan(
        reading.table.sql_name, Aggregate.MAX, column.sql_name,
        conditions=filters.conditions(reading), form=Form.SPREAD,
    )  # fmt: skip


def _share(reading: Reading, said: list[lexicon.Token], asked: Target) -> Plan:
    if any(matching.has_concept(c, "percentage", "rate") for c in reading.table.columns):
        raise Unclear("comparison")
    faults = rates.faults(reading)
    if faults is not None:
        return rates.ratio(reading, *faults, asked)
    reading.intent.superlative = None
    part: tuple[Condition, ...]
    if reading.comparisons and not reading.values:
        part = tuple(filters.compared(reading, comparison) for comparison in reading.comparisons)
        reading.comparisons = []
    elif reading.values:
        part = _part(reading)
    else:
        spans = [span for span in reading.periods if span.period != Period()]
        if len(spans) != 1:
            raise Unclear("comparison")
        part = tuple(filters.period_conditions(reading, spans[0].period))
        reading.periods = []
    _drop(reading, {condition.column for condition in part})
    made = _amount(reading, said)
    if made.aggregate not in {Aggregate.SUM, Aggregate.COUNT}:
        raise Unclear("comparison")
    return replace(made, form=Form.SHARE, sides=(part,))


def _part(reading: Reading) -> tuple[Condition, ...]:
    """The values that are the part: those after the verb, the one right after 'share of', the last."""
    splits = [n for n, word in enumerate(reading.words) if (word,) in lexicon.phrases("splits")]
    after = [m for m in reading.values if any(n < m.places[0] for n in splits)]
    columns = {filters.one_column(reading, match) for match in reading.values}
    ordered = sorted(reading.values, key=lambda match: match.places)
    first = ordered[0]
    heads = [*reading.titles, *(m.places[0] for m in reading.mentions if m.columns[0].numeric)]
    if len(columns) == 1:
        chosen = ordered
    elif not heads or first.places[0] < min(heads):
        chosen = [first]
    elif after and len(after) < len(ordered):
        chosen = after
    else:
        chosen = [ordered[-1]]
    kept = [match for match in reading.values if match not in chosen]
    reading.values = chosen
    found = filters.values(reading)
    reading.values = kept
    reading.intent.excepts, reading.intent.negations = [], []
    return tuple(found)
