"""Why a statement found no row: which condition matches nothing by itself, and what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from retrieval.sql import guard, phrase, render
from retrieval.sql.execute import rows_read
from retrieval.sql.plan import Aggregate, Plan
from retrieval.sql.wording import reason

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Table
    from teams.models import Workspace


def why_empty(workspace: Workspace, plan: Plan, table: Table, language: str) -> str:
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
    row = list(rows_read(workspace=workspace, statement=sql).rows[0])
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
    everything = [phrase.condition(condition, table, language) for condition in plan.conditions]
    return reason("empty", language, filters="; ".join(missed or everything))
