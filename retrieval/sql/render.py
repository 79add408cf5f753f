"""From a plan to a statement, built as a syntax tree and never as text."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from retrieval.sql.periods import period_of_value
from retrieval.sql.plan import Aggregate, Condition, Form, Group, Op, Part, Plan

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Table
    from retrieval.sql.plan import Literal

ROW_CAP = 1_000
COMPARED = {Op.GT: exp.GT, Op.GE: exp.GTE, Op.LT: exp.LT, Op.LE: exp.LTE}


def statement(plan: Plan, table: Table) -> exp.Select:
    """The SELECT of `plan`. Grouped or listed columns come first, the amount last."""
    query = exp.Select().from_(exp.to_table(table.sql_name, quoted=True))
    groups = [_group(group, table) for group in plan.groups]
    if plan.form and not groups:
        query = query.select(*_sides(plan))
    elif plan.aggregate:
        amount = _aggregate(plan)
        names = [
            exp.alias_(g, _name(p), quoted=True) for g, p in zip(groups, plan.groups, strict=True)
        ]
        query = query.select(*names, exp.alias_(amount, "result", quoted=True))
    else:
        query = query.select(*[_column(name) for name in plan.show])
        if not plan.order:
            query = query.distinct()
    for condition in plan.conditions:
        query = query.where(_condition(condition))
    if plan.limit or plan.having:
        for name in [group.column for group in plan.groups] or [plan.column]:
            query = query.where(exp.Not(this=exp.Is(this=_column(name), expression=exp.Null())))
    if groups:
        query = query.group_by(*[group.copy() for group in groups])
    for condition in plan.having:
        query = query.having(_held(_aggregate(plan), condition))
    return _ordered(query, plan, groups)


def _ordered(query: exp.Select, plan: Plan, groups: list[exp.Expr]) -> exp.Select:
    keys: list[exp.Expr] = []
    if plan.order:
        amount = _aggregate(plan) if plan.aggregate else _column(plan.column)
        keys.append(exp.Ordered(this=amount, desc=plan.order > 0, nulls_first=False))
    ties_kept = plan.limit == 1 or plan.rank > 0
    if not ties_kept:
        names = groups or ([] if plan.aggregate else [_column(name) for name in plan.show])
        keys += [exp.Ordered(this=name.copy(), nulls_first=False) for name in names]
    if keys:
        query = query.order_by(*keys)
    if not ties_kept:
        return query.limit(plan.limit or ROW_CAP)
    # Those that share the place are all shown.
    options = exp.LimitOptions(rows=True, with_ties=True)
    query.set(
        "limit",
        exp.Fetch(
            direction="FIRST",
            count=exp.Literal.number(max(plan.limit, plan.rank)),
            limit_options=options,
        ),
    )
    return query


def _sides(plan: Plan) -> list[exp.Expr]:
    """The amounts of a comparison: of each side its own rows, of a share the part and the whole."""
    if plan.form is Form.SPREAD:
        kinds = (Aggregate.MAX, Aggregate.MIN)
        made = [_aggregate(replace(plan, aggregate=kind)) for kind in kinds]
        return [exp.alias_(made[0], "largest"), exp.alias_(made[1], "smallest")]
    amounts = [_of_rows(_aggregate(plan), side) for side in plan.sides] or [_aggregate(plan)]
    names = ["first", "second"]
    if plan.form is Form.SHARE:
        amounts.append(_aggregate(replace(plan, column=plan.whole or plan.column)))
        names = ["part", "whole"]
    return [exp.alias_(a, name, quoted=True) for a, name in zip(amounts, names, strict=True)]


def _of_rows(amount: exp.Expr, conditions: tuple[Condition, ...]) -> exp.Expr:
    kept = exp.and_(*[_condition(condition) for condition in conditions])
    return exp.Filter(this=amount, expression=exp.Where(this=kept))


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _quarter(value: str) -> int:
    month = (period_of_value(value) or (None, None))[1]
    return (month + 2) // 3 if month else 0


def _name(group: Group) -> str:
    return f"{group.column}_{group.part}" if group.part else group.column


def _group(group: Group, table: Table) -> exp.Expr:
    if group.part in {Part.WHOLE, Part.DAY}:
        return _column(group.column)
    column = table.column(group.column)
    if column.kind == "text":  # names of months
        quarters = exp.Case()
        for quarter in range(1, 5):
            names = [v for v in column.values if _quarter(v) == quarter]
            if names:
                held = exp.In(this=_column(column.sql_name), expressions=[*map(_literal, names)])
                quarters = quarters.when(held, exp.convert(quarter))
        return quarters
    start = exp.Anonymous(
        this="DATE_TRUNC", expressions=[_literal(str(group.part)), _column(group.column)]
    )
    return exp.cast(start, "date")


def _aggregate(plan: Plan) -> exp.Expr:
    if plan.aggregate is Aggregate.COUNT:
        return exp.Count(this=exp.Star())
    column: exp.Expr = _column(plan.column)
    if plan.times:
        column = exp.Mul(this=column, expression=_column(plan.times))
    if plan.aggregate is Aggregate.DISTINCT:
        return exp.Count(this=exp.Distinct(expressions=[column]))
    kinds = {
        Aggregate.SUM: exp.Sum,
        Aggregate.AVG: exp.Avg,
        Aggregate.MIN: exp.Min,
        Aggregate.MAX: exp.Max,
    }
    made: exp.Expr = kinds[plan.aggregate](this=column)
    if plan.minus:
        made = exp.paren(exp.Sub(this=made, expression=exp.Sum(this=_column(plan.minus))))
    if plan.whole and plan.groups:
        whole = exp.Nullif(this=exp.Sum(this=_column(plan.whole)), expression=exp.convert(0))
        percent = exp.Mul(this=exp.convert(100.0), expression=made)
        made = exp.Div(this=percent, expression=whole)
    return made


def _literal(value: Literal) -> exp.Expr:
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, dt.date):
        return exp.cast(exp.Literal.string(value.isoformat()), "date")
    made: exp.Expr = exp.convert(value)
    return made


def _condition(condition: Condition) -> exp.Expr:
    return _held(_column(condition.column), condition)


def _held(column: exp.Expr, condition: Condition) -> exp.Expr:
    """`column`, or an aggregate in its place, held against the values of the condition."""
    if condition.other:
        made: exp.Expr = COMPARED[condition.op](this=column, expression=_column(condition.other))
        return made
    values = [_literal(value) for value in condition.values]
    if condition.op is Op.MONTH or condition.op is Op.QUARTER:
        part = exp.Extract(this=exp.var(str(condition.op).upper()), expression=column)
        return exp.In(this=part, expressions=values)
    if condition.op is Op.BETWEEN:
        return exp.Between(this=column, low=values[0], high=values[1])
    if condition.op is Op.RANGE:
        low, high = (
            exp.GTE(this=column, expression=values[0]),
            exp.LT(this=column.copy(), expression=values[1]),
        )
        return exp.and_(low, high)
    if condition.op in {Op.EQ, Op.NE}:
        return _membership(column, condition.op, values)
    compared: exp.Expr = COMPARED[condition.op](this=column, expression=values[0])
    return compared


def _membership(column: exp.Expr, op: Op, values: list[exp.Expr]) -> exp.Expr:
    if len(values) == 1:
        made: exp.Expr = exp.EQ(this=column, expression=values[0])
    else:
        made = exp.In(this=column, expressions=values)
    return exp.Not(this=exp.paren(made)) if op is Op.NE else made
