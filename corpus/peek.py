"""The first rows of an ingested table, beside the cells as they stand in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError
from psycopg import sql

from corpus.reader import reader_cursor

if TYPE_CHECKING:
    from corpus.models import DataColumn, DataTable
    from teams.models import User

ROWS, COLUMNS, CHARACTERS = 50, 60, 300


@dataclass(frozen=True, slots=True)
class Cell:
    """A converted value; `raw` is what stands in the file, empty where that reads the same."""

    value: Any
    raw: str = ""


@dataclass(frozen=True, slots=True)
class FirstRows:
    """`more` says how many rows, and `hidden` how many columns, are not shown."""

    columns: tuple[DataColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: int
    hidden: int


def first_rows(table: DataTable, user: User) -> FirstRows | None:
    """The table's first rows in the file's order, as `user` may read them; None when the database does not
    give them."""
    columns = list(table.columns.all())
    shown = columns[:COLUMNS]
    try:
        values = _read(table, user, table.sql_name, shown)
        raws = _read(table, user, table.raw_name, shown) if table.raw_name else []
    except DatabaseError:
        return None
    rows = tuple(
        tuple(
            _cell(value, raws[at][column] if at < len(raws) else "")
            for column, value in enumerate(row)
        )
        for at, row in enumerate(values)
    )
    return FirstRows(tuple(shown), rows, max(0, table.rows - len(rows)), len(columns) - len(shown))


def _read(
    table: DataTable, user: User, name: str, columns: list[DataColumn]
) -> list[tuple[Any, ...]]:
    statement = sql.SQL("SELECT {columns} FROM {table} LIMIT {limit}").format(
        columns=sql.SQL(", ").join(sql.Identifier(column.sql_name) for column in columns),
        table=sql.Identifier(table.workspace.schema_name, name),
        limit=sql.Literal(ROWS),
    )
    with reader_cursor(table.workspace, user, name) as cursor:
        # Rows lie as COPY wrote them; without this a scan may begin where another one is.
        cursor.execute("SET LOCAL synchronize_seqscans = off")
        cursor.execute(statement)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _cell(value: Any, raw: Any) -> Cell:
    if isinstance(value, str):
        value = value[:CHARACTERS]
    said = str(raw or "").strip()[:CHARACTERS]
    return Cell(value, "" if said == str(value) else said)
