"""Ingested tables as real tables in the workspace's schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.db import connection
from psycopg import sql

from corpus.models import DataColumn, DataTable
from engines.language import fold

if TYPE_CHECKING:
    from corpus.models import DocumentVersion
    from corpus.values import ParsedTable
    from teams.models import Workspace

TYPES = {
    "integer": "bigint",
    "number": "numeric",
    "date": "date",
    "boolean": "boolean",
    "text": "text",
}
MOST_VALUES, EXAMPLES = 500, 5


def table_create(
    *, workspace: Workspace, version: DocumentVersion, parsed: ParsedTable
) -> DataTable:
    """Make the table, fill it by COPY and describe its columns. Runs in the caller's transaction."""
    name = _free_name(workspace, parsed.title)
    row = DataTable.objects.create(
        workspace=workspace,
        document=version.document,
        version=version,
        sql_name=name,
        title=parsed.title[:200],
        rows=len(parsed.rows),
        reading=parsed.reading,
    )
    table = sql.Identifier(workspace.schema_name, name)
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(column.sql_name), sql.SQL(TYPES[column.kind]))
        for column in parsed.columns
    )
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, columns))
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
            for values in parsed.rows:
                copy.write_row([_clean(value) for value in values])
        cursor.execute(sql.SQL("ANALYZE {}").format(table))
    DataColumn.objects.bulk_create(
        _column(row, position, parsed) for position in range(len(parsed.columns))
    )
    return row


def table_drop(*, table: DataTable) -> None:
    name = sql.Identifier(table.workspace.schema_name, table.sql_name)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(name))
    table.delete()


def _clean(value: object) -> object:
    return value.replace("\x00", "") if isinstance(value, str) else value


def _column(row: DataTable, position: int, parsed: ParsedTable) -> DataColumn:
    column = parsed.columns[position]
    filled = [values[position] for values in parsed.rows if values[position] is not None]
    distinct: list[Any] = list(dict.fromkeys(filled))
    kept = distinct[:MOST_VALUES] if column.kind == "text" else []
    return DataColumn(
        table=row,
        position=position,
        sql_name=column.sql_name,
        label=column.label[:200],
        kind=column.kind,
        unit=column.unit,
        examples=[str(value) for value in distinct[:EXAMPLES]],
        values=[str(value)[:200] for value in kept],
        distinct=len(distinct),
    )


def _free_name(workspace: Workspace, title: str) -> str:
    stem = re.sub(r"[^a-z0-9]+", "_", fold(title)).strip("_")[:50] or "table"
    if stem[0].isdigit():
        stem = f"t_{stem}"
    taken = set(DataTable.objects.in_workspace(workspace).values_list("sql_name", flat=True))
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name
