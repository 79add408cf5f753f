"""Questions to tables whose rows are items and whose columns are years, as financial statements have them.

The statement fetches the item's cells as they stand in the file, brackets and all; what is computed from
them is said with its figures. It abstains like the compiler: a word without a place is no answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from corpus.table_store import row_number
from retrieval.sql import guard
from retrieval.sql.catalogue import Column
from retrieval.sql.cross import say
from retrieval.sql.cross.asked import Asked, asked_of
from retrieval.sql.cross.compute import computed, figures
from retrieval.sql.cross.match import Match, best
from retrieval.sql.execute import SqlFailed, rows_read
from retrieval.sql.guard import SqlRefused
from retrieval.values import TableResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table
    from retrieval.sql.cross.compute import Figure, Result
    from teams.models import User, Workspace

__all__ = ["Crossed", "cells_of", "crossed", "fetch"]


@dataclass(frozen=True, slots=True)
class Crossed:
    """A question that was read against such a table: what is asked, and of which item and columns."""

    asked: Asked
    match: Match

    def plan(self, language: str) -> str:
        """In one sentence, so that the reader can check how the question was understood."""
        years = ", ".join(str(period.year) for period in self.match.periods)
        table, item = self.match.cross.table, self.match.items[0].rstrip(" :")
        return say.word(
            "plan", language, title=table.title, item=item, years=years, op=self.asked.op
        )


def crossed(text: str, tables: Sequence[Table]) -> Crossed | None:
    """What `text` asks of one of `tables`; None when it asks for something else or it is not sure."""
    asked = asked_of(text)
    match = best(asked, tables) if asked is not None else None
    return Crossed(asked, match) if asked is not None and match is not None else None


def fetch(*, workspace: Workspace, user: User, found: Crossed, language: str) -> TableResult | None:
    """The item's cells and what is asked of them; None when a figure is missing or two rows differ."""
    match = found.match
    table = match.cross.table
    address = cells_of(table)
    try:
        sql = guard.guarded(_statement(match, address).sql(dialect="postgres"), [address])
        read = rows_read(workspace=workspace, user=user, statement=sql)
    except (SqlRefused, SqlFailed):
        return None
    years = [period.year for period in match.periods]
    for item in match.items:
        row = _row(match, item, read.rows)
        held = figures(row[1:], years) if row is not None else ()
        scale = match.cross.scale_of(match.periods[0], item)
        scale = "" if any(figure.percent for figure in held) else scale
        result = computed(found.asked, held, scale) if held else None
        if row is not None and result is not None:
            return _result(found, item, sql, read.columns, row, held, result, scale, language)
    return None


def _result(
    found: Crossed,
    item: str,
    sql: str,
    columns: tuple[str, ...],
    row: tuple[Any, ...],
    held: Sequence[Figure],
    result: Result,
    scale: str,
    language: str,
) -> TableResult:
    table = found.match.cross.table
    said = "percent" if result.percent else "" if result.picked else scale
    return TableResult(
        sql=sql,
        origin="compiled",
        plan=found.plan(language),
        columns=columns,
        rows=(row,),
        table_title=table.title,
        document_id=table.document_id,
        version_id=table.version_id,
        document=table.document,
        sentence=say.sentence(found.asked, item, held, result, scale, language),
        values=result.values,
        scale=said,
    )


def cells_of(table: Table) -> Table:
    """The table of the cells as they stand in the file, in the order of its rows; else the table itself."""
    if not table.raw_name:
        return table
    number = row_number({column.sql_name for column in table.columns})
    numbered = (Column(number, number, "integer"), *table.columns)
    return replace(table, sql_name=table.raw_name, columns=numbered)


def _statement(match: Match, address: Table) -> exp.Select:
    """The rows of the item and of the sections that the question names, with the columns asked for."""
    key = exp.column(match.cross.key.sql_name, quoted=True)
    names = [exp.Literal.string(name) for name in (*match.items, *match.sections)]
    columns = [exp.column(period.column.sql_name, quoted=True) for period in match.periods]
    made = exp.select(key, *columns).from_(exp.to_table(address.sql_name)).where(key.isin(*names))
    if address.sql_name == match.cross.table.sql_name:
        return made
    return made.order_by(exp.column(address.columns[0].sql_name, quoted=True))


def _row(match: Match, item: str, rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """The item's row: below a section that was named, else the only one."""
    own = [at for at, row in enumerate(rows) if row[0] == item]
    starts = [at for at, row in enumerate(rows) if row[0] in match.sections]
    below = [at for at in own if any(start < at for start in starts)]
    kept = [rows[at] for at in (below[:1] or own)]
    return kept[0] if kept and all(row == kept[0] for row in kept) else None
