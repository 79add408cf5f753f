"""Why a statement found no row: which condition matches nothing by itself, and what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from retrieval.sql import guard, phrase, render
from retrieval.sql.execute import rows_read
from retrieval.sql.plan import Aggregate, Condition, Group, Op, Plan
from retrieval.sql.wording import reason

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Table
    from teams.models import User, Workspace

# So many values are named that there are instead.
NEAREST = 3


def why_empty(workspace: Workspace, user: User, plan: Plan, table: Table, language: str) -> str:
    """A sentence naming the conditions that match no row alone (else all of them together), with the
    span of a date or number column that was missed."""
    if not plan.conditions:
        return reason("empty", language, filters=table.title)
    query = exp.Select().from_(exp.to_table(table.sql_name, quoted=True))
    for condition in plan.conditions:
        counted = render.statement(
            Plan(plan.table, Aggregate.COUNT, conditions=(condition,)), table
        )
        inside = counted.args["where"].this
        name = exp.column(condition.column, quoted=True)
        matching_rows = exp.Filter(
            this=exp.Count(this=exp.Star()), expression=exp.Where(this=inside.copy())
        )
        spans = table.column(condition.column).kind not in {"text", "boolean"}
        span = [exp.Min(this=name), exp.Max(this=name.copy())] if spans else []
        query = query.select(matching_rows, *span)
    sql = guard.guarded(query.sql(dialect="postgres"), [table])
    row = list(rows_read(workspace=workspace, user=user, statement=sql).rows[0])
    missed = []
    for condition in plan.conditions:
        column = table.column(condition.column)
        count = row.pop(0)
        bounds = [] if column.kind in {"text", "boolean"} else [row.pop(0), row.pop(0)]
        said = phrase.condition(condition, table, language)
        if count == 0 and bounds and bounds[0] is not None:
            low_text, high_text = (phrase.shown(bound, language, column) for bound in bounds)
            said = f"{said} [{low_text} – {high_text}]"
        if count == 0:
            missed.append(said)
    if not missed:
        return _together(workspace, user, plan, table, language)
    return reason("empty", language, filters="; ".join(missed))


def _together(workspace: Workspace, user: User, plan: Plan, table: Table, language: str) -> str:
    """Each condition matches rows, but no row all of them: what the others leave of a text column."""
    everything = [phrase.condition(condition, table, language) for condition in plan.conditions]
    said = reason("empty", language, filters="; ".join(everything))
    texts = [
        condition
        for condition in plan.conditions
        if condition.op is Op.EQ and table.column(condition.column).kind == "text"
    ]
    for left_out in texts if len(plan.conditions) > 1 else []:
        near = _left(workspace, user, plan, table, left_out)
        if near:
            label = table.column(left_out.column).label
            others = [c for c in plan.conditions if c is not left_out]
            filters = "; ".join(phrase.condition(c, table, language) for c in others)
            left = reason("left", language, filters=filters, column=label, near=", ".join(near))
            return f"{said} {left}"
    return said


def _left(
    workspace: Workspace, user: User, plan: Plan, table: Table, left_out: Condition
) -> list[str]:
    """The commonest values of the column of `left_out` where all other conditions hold."""
    counted = Plan(
        plan.table,
        Aggregate.COUNT,
        conditions=tuple(c for c in plan.conditions if c is not left_out),
        groups=(Group(left_out.column),),
        order=1,
        limit=NEAREST,
    )
    sql = guard.guarded(render.statement(counted, table).sql(dialect="postgres"), [table])
    read = rows_read(workspace=workspace, user=user, statement=sql)
    return [str(row[0]) for row in read.rows]
