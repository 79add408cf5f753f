"""Questions to tables: compiled by arithmetic, else written by a model, always guarded and shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from engines.registry import generator
from retrieval.filters import NOTHING
from retrieval.sql import by_model, guard, phrase, phrase_pairs, render, totals
from retrieval.sql.catalogue import catalogue_read
from retrieval.sql.cited import sources
from retrieval.sql.cross import Crossed, fetch
from retrieval.sql.empty import why_empty
from retrieval.sql.execute import SqlFailed, rows_read
from retrieval.sql.guard import SqlRefused
from retrieval.sql.joined.plan import Joined
from retrieval.sql.joined.render import statement
from retrieval.sql.joined.say import Speaker
from retrieval.sql.plan import Abstain, Form
from retrieval.sql.relevant import MOST_COMPILED, relevant
from retrieval.sql.understood import understood
from retrieval.sql.wording import reason
from retrieval.values import Retrieved, TableResult

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.filters import Filters
    from retrieval.sql.catalogue import Table
    from retrieval.sql.plan import Plan
    from teams.models import User, Workspace

__all__ = ["search"]
STORE = "relational"


def search(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    language: str,
    today: dt.date | None = None,
    filters: Filters = NOTHING,
    vector: NDArray[np.float32] | None = None,
) -> Retrieved:
    """The rows that answer `text` from the tables of `workspace` that `user` may see.

    `language` is that of the sentence (pt, else English); `today` settles 'this year'; `vector`, the
    question's own, helps to choose among many tables. Never raises for a question it cannot read: the
    result is then empty and its `note` says why.
    """
    held = catalogue_read(workspace=workspace, user=user, filters=filters)
    asked = by_model.Asked(
        workspace, user, held, text, language, today or timezone.localdate(), vector
    )
    tables = relevant(text, held, most=MOST_COMPILED, vector=vector)
    found = _answered(asked, tables)
    return replace(found, tables_held=len(held), tables_read=found.tables_read or len(tables))


def _answered(asked: by_model.Asked, tables: Sequence[Table]) -> Retrieved:
    workspace, user, language = asked.workspace, asked.user, asked.language
    plan = understood(asked.text, tables, language=language, today=asked.today)
    if isinstance(plan, Crossed):
        found = fetch(workspace=workspace, user=user, found=plan, language=language)
        if found is not None:
            return Retrieved(STORE, table=found)
        title = plan.match.cross.table.title
        plan = Abstain(reason("no_figures", language, table=title))
    if isinstance(plan, Joined):
        return _by_join(workspace, user, plan, tables, language)
    if isinstance(plan, Abstain):
        model = generator() if tables else None
        return (
            Retrieved(STORE, note=plan.reason)
            if model is None
            else by_model.written(model, asked, plan)
        )
    table = next(table for table in tables if table.sql_name == plan.table)
    return _by_plan(workspace, user, plan, table, language)


def _by_plan(
    workspace: Workspace, user: User, plan: Plan, table: Table, language: str
) -> Retrieved:
    try:
        sql = guard.guarded(render.statement(plan, table).sql(dialect="postgres"), [table])
        read = rows_read(workspace=workspace, user=user, statement=sql)
    except SqlRefused as error:
        return Retrieved(STORE, note=reason("refused", language, why=str(error)))
    except SqlFailed as error:
        return Retrieved(STORE, note=reason("failed", language, why=str(error)))
    plan = phrase.followed(plan, read.rows)
    rows = phrase.of_rank(plan, phrase.in_calendar_order(plan, table, read.rows))
    if plan.form is Form.MEAN and not totals.complete(plan, table, rows):
        return Retrieved(STORE, note=reason("average_of_totals", language))
    if not rows or _nothing(plan, rows[0]):
        return Retrieved(STORE, note=why_empty(workspace, user, plan, table, language))
    result = TableResult(
        sql=sql,
        origin="compiled",
        plan=phrase.plan_sentence(plan, table, language),
        columns=read.columns,
        rows=rows,
        table_title=table.title,
        document_id=table.document_id,
        version_id=table.version_id,
        document=table.document,
        sentence=_sentence(plan, table, rows, language),
        truncated=read.truncated,
    )
    return Retrieved(STORE, table=result)


def _by_join(
    workspace: Workspace, user: User, plan: Joined, tables: Sequence[Table], language: str
) -> Retrieved:
    try:
        sql = guard.guarded(statement(plan).sql(dialect="postgres"), plan.read_of(tables))
        read = rows_read(workspace=workspace, user=user, statement=sql)
    except SqlRefused as error:
        return Retrieved(STORE, note=reason("refused", language, why=str(error)))
    except SqlFailed as error:
        return Retrieved(STORE, note=reason("failed", language, why=str(error)))
    speaker = Speaker(tables, language)
    if not read.rows or all(cell is None for row in read.rows for cell in row):
        return Retrieved(STORE, note=reason("empty", language, filters=speaker.plan(plan)))
    first, *others = (table for name in plan.tables for table in tables if table.sql_name == name)
    result = TableResult(
        sql=sql,
        origin="compiled",
        plan=speaker.plan(plan),
        columns=read.columns,
        rows=read.rows,
        table_title=first.title,
        document_id=first.document_id,
        version_id=first.version_id,
        document=first.document,
        sentence=speaker.answer(plan, read.rows),
        truncated=read.truncated,
        others=sources(others),
    )
    return Retrieved(STORE, table=result)


def _nothing(plan: Plan, row: tuple[Any, ...]) -> bool:
    """Whether the one row of an aggregate says that there was nothing to compute it from."""
    if plan.form and not plan.groups:
        # A time of which there are no rows is one the table does not hold, not one of nothing.
        if plan.form is Form.DIFFERENCE and 0 in row and phrase_pairs.in_time(plan):
            return True
        return None in row or (plan.form is Form.SHARE and not row[-1])
    return not plan.groups and bool(plan.aggregate) and row[0] is None


def _sentence(plan: Plan, table: Table, rows: tuple[tuple[Any, ...], ...], language: str) -> str:
    if plan.form and not plan.groups:
        return phrase_pairs.sentence(plan, table, rows[0], language)
    return phrase.sentence(plan, table, rows, language)
