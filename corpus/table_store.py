"""Ingested tables as real tables in the workspace's schema."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from django.db import connection
from psycopg import sql

from corpus.models import DataColumn, DataTable, Document
from engines.language import fold
from teams.visibility import Visibility

if TYPE_CHECKING:
    import uuid
    from collections.abc import Container, Iterable

    from corpus.models import DocumentVersion
    from corpus.values import ParsedColumn, ParsedTable
    from teams.models import Workspace

TYPES = {
    "integer": "bigint",
    "number": "numeric",
    "date": "date",
    "boolean": "boolean",
    "text": "text",
}
MOST_VALUES, EXAMPLES, LONGEST_VALUE = 500, 5, 200
# How the names of tables end that not everybody may read.
HIDDEN = re.compile(r"_r[0-9a-f]{8}\b")
RAW, ROW_NUMBER = " raw", "row_number"


def table_create(
    *, workspace: Workspace, version: DocumentVersion, parsed: ParsedTable
) -> DataTable:
    """Make the table, fill it by COPY and describe its columns. Runs in the caller's transaction.

    Where cells were converted, a second table keeps them as they stand in the file, each row with its
    number. It is no part of the catalogue that questions are compiled against. The reader role of the
    workspace is given both only if the whole workspace may read the document.
    """
    _lock(workspace)
    hidden = not _open(version.document_id)
    row = DataTable.objects.create(
        workspace=workspace,
        document=version.document,
        version=version,
        sql_name=_free_name(workspace, parsed.title, hidden=hidden),
        title=parsed.title[:200],
        rows=len(parsed.rows),
        reading=parsed.reading,
        page=parsed.page,
    )
    types = [(column.sql_name, TYPES[column.kind]) for column in parsed.columns]
    _fill(row, row.sql_name, types, parsed.rows)
    if parsed.raw:
        row.raw_name = _free_name(workspace, parsed.title[:50] + RAW, hidden=hidden)
        row.save(update_fields=["raw_name"])
        number = row_number(dict(types))
        texts = [(number, "bigint"), *((name, "text") for name, _ in types)]
        _fill(
            row, row.raw_name, texts, ((at, *cells) for at, cells in enumerate(parsed.raw, start=1))
        )
    DataColumn.objects.bulk_create(
        _column(row, position, column) for position, column in enumerate(parsed.columns)
    )
    if not hidden:
        _grant(row)
    return row


def tables_guard(*, document: Document) -> None:
    """Give the tables of a document to the workspace's reader role, or take them away from it.

    Tables that not everybody may read get names that nobody guesses, so that the names of others tell
    nothing of them. Runs under the stores' lock, in the caller's transaction.
    """
    tables = list(DataTable.objects.filter(document=document).select_related("workspace"))
    shown = document.visibility == Visibility.WORKSPACE
    for table in tables:
        _lock(table.workspace)
        if shown:
            _grant(table)
            continue
        _each(table, "REVOKE ALL ON {table} FROM {role}")
        for kept in ("sql_name", "raw_name"):
            name = getattr(table, kept)
            if name and not HIDDEN.search(name):
                hidden = _unguessed(name)
                with connection.cursor() as cursor:
                    cursor.execute(
                        sql.SQL("ALTER TABLE {} RENAME TO {}").format(
                            _address(table, name), sql.Identifier(hidden)
                        )
                    )
                setattr(table, kept, hidden)
        table.save(update_fields=["sql_name", "raw_name"])


def _grant(table: DataTable) -> None:
    _each(table, "GRANT SELECT ON {table} TO {role}")


def _each(table: DataTable, statement: str) -> None:
    """Run the statement for both real tables of a table and the role that reads the workspace."""
    role = sql.Identifier(table.workspace.reader_role)
    with connection.cursor() as cursor:
        for name in filter(None, (table.sql_name, table.raw_name)):
            cursor.execute(sql.SQL(statement).format(table=_address(table, name), role=role))


def _open(document_id: uuid.UUID) -> bool:
    """Whether the whole workspace may read the document, as it stands now."""
    rows = Document.objects.filter(pk=document_id, visibility=Visibility.WORKSPACE)
    return bool(rows.exists())


def _unguessed(name: str) -> str:
    return f"{name[:50]}_r{secrets.token_hex(4)}"


def row_number(names: Container[str]) -> str:
    """The column of the second table that numbers its rows; `names` are those of the first."""
    return ROW_NUMBER if ROW_NUMBER not in names else f"{ROW_NUMBER}_in_table"


def table_drop(*, table: DataTable) -> None:
    """Remove both real tables and the row that describes them."""
    with connection.cursor() as cursor:
        for name in filter(None, (table.sql_name, table.raw_name)):
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(_address(table, name)))
    table.delete()


def _lock(workspace: Workspace) -> None:
    """Names are chosen by one transaction at a time: another's are not seen before it ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [workspace.schema_name]
        )


def _address(table: DataTable, name: str) -> sql.Identifier:
    return sql.Identifier(table.workspace.schema_name, name)


def _fill(
    table: DataTable, name: str, types: list[tuple[str, str]], rows: Iterable[tuple[object, ...]]
) -> None:
    address = _address(table, name)
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(kind)) for column, kind in types
    )
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(address, columns))
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(address)) as copy:
            for values in rows:
                copy.write_row([_clean(value) for value in values])
        cursor.execute(sql.SQL("ANALYZE {}").format(address))


def _clean(value: object) -> object:
    """Text that PostgreSQL can keep: no NUL, no half of a surrogate pair."""
    if not isinstance(value, str):
        return value
    text = value.replace("\x00", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _column(table: DataTable, position: int, column: ParsedColumn) -> DataColumn:
    """What a column holds: its distinct values are counted by the database, the first ones kept."""
    kept = MOST_VALUES if column.kind == "text" else EXAMPLES
    statement = sql.SQL(
        "SELECT {column}, count(*) OVER () FROM {table} WHERE {column} IS NOT NULL"
        " GROUP BY {column} ORDER BY min(ctid) LIMIT {kept}"
    ).format(
        column=sql.Identifier(column.sql_name),
        table=_address(table, table.sql_name),
        kept=sql.Literal(kept),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        found: list[tuple[Any, int]] = cursor.fetchall()
    values = [str(value)[:LONGEST_VALUE] for value, _ in found]
    return DataColumn(
        table=table,
        position=position,
        sql_name=column.sql_name,
        label=column.label[:200],
        kind=column.kind,
        unit=column.unit[:20],
        examples=values[:EXAMPLES],
        values=values if column.kind == "text" else [],
        distinct=found[0][1] if found else 0,
    )


def _free_name(workspace: Workspace, title: str, *, hidden: bool) -> str:
    stem = re.sub(r"[^a-z0-9]+", "_", fold(title)).strip("_")[:50] or "table"
    if stem[0].isdigit():
        stem = f"t_{stem}"
    if hidden:
        return _unguessed(stem)
    names = DataTable.objects.in_workspace(workspace).values_list("sql_name", "raw_name")
    taken = {name for pair in names for name in pair if name}
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name
