"""Totals per group that are themselves held against a number, or averaged over time."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retrieval.sql import amounts, filters, lexicon, matching, measures, targets
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Aggregate, Condition, Form, Group, Op, Part, Plan
from retrieval.sql.reading import part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Column, Table
    from retrieval.sql.intent import Comparison
    from retrieval.sql.reading import Reading


def filtered(reading: Reading, said: list[lexicon.Token]) -> Plan | None:
    """'How many customers bought more than 50.000 €': groups whose total passes a number. None where
    rows are meant, such as people, who have one row each."""
    intent = reading.intent
    if len(reading.comparisons) != 1 or intent.superlative is not None or intent.avg:
        return None
    comparison = reading.comparisons[0]
    group = counted_group(reading) if intent.count_at is not None else _which_group(reading)
    if group is None or targets.groups(reading):
        return None
    if _single_event(reading, comparison):
        return None
    rows_said = _rows_said(reading, comparison, said)
    column = None if rows_said else filters.compared_column(reading, comparison, summed=True)
    if column is not None and not (measures.additive(column) and amounts.adds_up(reading, column)):
        raise Unclear("totals_per", column=column.label)
    reading.comparisons = []
    values = tuple(int(v) if v.is_integer() else v for v in comparison.values)
    return Plan(
        reading.table.sql_name,
        Aggregate.COUNT if column is None else Aggregate.SUM,
        column=column.sql_name if column else "",
        conditions=filters.conditions(reading),
        groups=(group,),
        order=0 if group.part or targets.is_time(reading, group) else 1,
        noun=rows_said,
        having=(Condition("", comparison.op, values),),
        counts_groups=intent.count_at is not None,
    )


def counted_group(reading: Reading) -> Group | None:
    at = reading.next_content(reading.intent.count_at or 0)
    if at is None or (at in reading.titles and targets.titled(reading, at)):
        return None
    if reading.marks[at] not in {"column", "title", "part"} and not part_of(reading.words[at]):
        return None
    return _repeated(reading, targets.group_at(reading, at))


def _which_group(reading: Reading) -> Group | None:
    target = targets.target(reading)
    return _repeated(reading, target) if isinstance(target, Group) else None


def _repeated(reading: Reading, group: Group | None) -> Group | None:
    """The group, if it can have several rows."""
    if group is None or group.part:
        return group
    column = reading.table.column(group.column)
    repeated = column.distinct < reading.table.rows and group.column not in targets.bound(reading)
    return group if repeated else None


def _single_event(reading: Reading, comparison: Comparison) -> bool:
    """'placed an order over 30.000 €': a number that one row passes, not the sum of many."""
    place = comparison.places[0] - 1
    if place < 1 or place not in reading.titles:
        return False
    word = reading.words[place]
    one = not word.endswith("s") and (reading.words[place - 1],) in lexicon.phrases("one")
    return one or "order" in lexicon.concepts(word)


def _rows_said(reading: Reading, comparison: Comparison, said: list[lexicon.Token]) -> str:
    """The table's noun right after the number, as in 'more than 10 employees': rows are counted."""
    after = comparison.places[-1] + 1
    if after >= len(reading.words) or comparison.unit:
        return ""
    return said[after].said if after in reading.titles else ""


def averaged(reading: Reading, groups: tuple[Group, ...]) -> Plan | None:
    """'On average per month': the totals of stretches of time, of which the mean is said. None when
    no stretch is named."""
    part = next((group.part for group in groups if group.part), Part.WHOLE)
    part = next((targets.STRETCHES[w] for w in reading.words if w in targets.STRETCHES), part)
    timed = [g for g in groups if not g.part and targets.is_time(reading, g)]
    if timed and matching.has_concept(reading.table.column(timed[0].column), "month"):
        part = Part.MONTH
    elif timed and matching.has_concept(reading.table.column(timed[0].column), "year"):
        part = Part.YEAR
    if part in {Part.WHOLE, Part.DAY}:
        return None
    column = amounts.measure(reading)
    if not measures.additive(column) or len(groups) > 1 or not amounts.adds_up(reading, column):
        raise Unclear("average_of_totals")
    return Plan(
        reading.table.sql_name,
        Aggregate.SUM,
        column=column.sql_name,
        conditions=filters.conditions(reading),
        groups=_stretches(reading, part),
        form=Form.MEAN,
    )


def _stretches(reading: Reading, part: Part) -> tuple[Group, ...]:
    dated = filters.date_column(reading)
    if dated is not None:
        return (Group(dated.sql_name, part),)
    year, own = filters.part_column(reading, "year"), filters.part_column(reading, str(part))
    if own is None:
        raise Unclear("average_of_totals")
    return tuple(Group(c.sql_name) for c in dict.fromkeys((year, own)) if c is not None)


def complete(plan: Plan, table: Table, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Whether every stretch of the period asked for has rows, so that the mean is of all of them."""
    return bool(rows) and len(rows) == _expected(plan, table, rows)


def _expected(plan: Plan, table: Table, rows: Sequence[tuple[Any, ...]]) -> int:
    group = plan.groups[-1]
    if group.part:
        return _stretches_between(plan, rows, {"month": 1, "quarter": 3, "year": 12}[group.part])
    named = next((c for c in plan.conditions if c.column == group.column), None)
    years = len({row[0] for row in rows}) if len(plan.groups) > 1 else 1
    if matching.has_concept(table.column(group.column), "year"):
        return len(named.values) if named else len(rows)
    return years * (len(named.values) if named else 12)


def _stretches_between(plan: Plan, rows: Sequence[tuple[Any, ...]], months: int) -> int:
    """Stretches of the period asked for, else from the first to the last that has rows."""
    span = next((c.values for c in plan.conditions if c.op is Op.RANGE), None)
    first, last = span or (min(row[0] for row in rows), max(row[0] for row in rows))
    assert isinstance(first, dt.date) and isinstance(last, dt.date)
    length = (last.year - first.year) * 12 + last.month - first.month
    return length // months + (0 if span else 1)


def product(plan: Plan, reading: Reading) -> Plan:
    """The plan with its amount times the price of each row, where the value of a quantity is asked."""
    if not reading.times:
        return plan
    if plan.aggregate is not Aggregate.SUM or plan.having or plan.form is Form.MEAN:
        raise Unclear("no_measure")
    return replace(plan, times=reading.times)


def aggregated(
    reading: Reading,
    aggregate: Aggregate,
    column: Column | None,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    noun: str = "",
    order: int = 1,
) -> Plan:
    """An aggregate; per group the largest first, but time in its own order."""
    timed = any(group.part or targets.is_time(reading, group) for group in groups)
    return Plan(
        reading.table.sql_name,
        aggregate,
        column=column.sql_name if column else "",
        conditions=conditions,
        groups=groups,
        order=0 if timed or not groups else order,
        noun=noun,
    )
