"""SQLite and DuckDB files: every table becomes a table of the workspace.

The file is a stranger's, so it is opened read only and made unable to act: views, triggers and virtual
tables of it are never touched, SQLite asks an authorizer for each step and DuckDB may reach no other file.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import sqlite3
import time
from contextlib import closing, contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from corpus.errors import UnreadableFile
from corpus.tabular.names import sql_names, unit
from corpus.tabular.rows import keep
from corpus.tabular.summary import describe
from corpus.tabular.wide import parts
from corpus.values import Block, ParsedColumn, ParsedDocument, ParsedTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_TABLES, MOST_ROWS = 200, 1_000_000
# Steps of SQLite's machine between two looks at the clock, and the seconds that all its tables may take.
STEPS, SECONDS = 100_000, 300
READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
DUCK: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "1GB",
    "threads": "1",
    "lock_configuration": "true",
}
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
BIGGEST = 2**63 - 1


class Opened(Protocol):
    """A database that can be read: its plain tables, and the rows of one of them."""

    def tables(self) -> list[str]: ...

    def rows(self, table: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]: ...


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    """Every table with a summary. Raises UnreadableFile for a damaged or empty database."""
    with path.open("rb") as handle:
        lite = handle.read(16).startswith(b"SQLite format 3\x00")
    warnings: list[str] = []
    tables: list[ParsedTable] = []
    with (_sqlite if lite else _duckdb)(path, name) as opened:
        names = opened.tables()
        if len(names) > MOST_TABLES:
            warnings.append(f"only the first {MOST_TABLES} of {len(names)} tables were read")
        for table in names[:MOST_TABLES]:
            found = _table(opened, table, warnings)
            tables += [] if found is None else parts(found)
    if not tables:
        raise UnreadableFile(f"{name} holds no table with rows. Views are not read.")
    blocks = tuple(Block("summary", describe(table)) for table in tables)
    return ParsedDocument(Path(name).stem, blocks, tuple(tables), warnings=tuple(warnings))


def _table(opened: Opened, name: str, warnings: list[str]) -> ParsedTable | None:
    """The table, read twice: once for the kinds of its columns, once for its rows."""
    labels, rows = opened.rows(name)
    kinds: list[set[str]] = [set() for _ in labels]
    count = 0
    for row in islice(rows, MOST_ROWS):
        count += 1
        for held, cell in zip(kinds, row, strict=True):
            held.add(_kind(cell))
    if not count:
        warnings.append(f"{name}: no rows")
        return None
    kept = [at for at, held in enumerate(kinds) if held - {"", "bytes"} or not held - {""}]
    if len(kept) < len(labels):
        left = ", ".join(labels[at] for at in range(len(labels)) if at not in kept)
        warnings.append(f"{name}: columns of bytes were left out ({left})")
    if not kept:
        return None
    if count == MOST_ROWS:
        warnings.append(f"{name}: only the first {MOST_ROWS} rows were read")
    chosen = [_column_kind(kinds[at]) for at in kept]
    names = sql_names([labels[at] for at in kept])
    _again, rows = opened.rows(name)
    converted = (
        tuple(_cell(row[at], kind) for at, kind in zip(kept, chosen, strict=True))
        for row in islice(rows, MOST_ROWS)
    )
    columns = tuple(
        ParsedColumn(labels[at], sql_name, kind, unit(labels[at], ()))
        for at, sql_name, kind in zip(kept, names, chosen, strict=True)
    )
    return ParsedTable(name, columns, keep(converted), {"database": name})


def _kind(cell: Any) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "boolean"
        case int():
            return "integer" if abs(cell) <= BIGGEST else "text"
        case float() | Decimal():
            return "number"
        case dt.datetime():
            return "text" if cell.time() != dt.time() else "date"
        case dt.date():
            return "date"
        case bytes():
            return "bytes"
        case str() if _day(cell) is not None:
            return "date"
    return "text"


def _column_kind(held: set[str]) -> str:
    seen = held - {""}
    if len(seen) == 1 and "bytes" not in seen:
        return next(iter(seen))
    return "number" if seen == {"integer", "number"} else "text"


def _cell(cell: Any, kind: str) -> object:
    if cell is None or isinstance(cell, bytes):
        return None
    if kind == "number":
        return None if not math.isfinite(cell) else cell
    if kind == "date":
        return _day(cell) if isinstance(cell, str) else dt.date(cell.year, cell.month, cell.day)
    return str(cell) if kind == "text" else cell


def _day(text: str) -> dt.date | None:
    if not DAY.fullmatch(text):
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


class _Lite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def tables(self) -> list[str]:
        found = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
            " AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        )
        return [row[0] for row in found]

    def rows(self, table: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        cursor = self._connection.execute(f"SELECT * FROM {_quoted(table)}")
        return [column[0] for column in cursor.description], cursor


@contextmanager
def _sqlite(path: Path, name: str) -> Iterator[Opened]:
    """`immutable` leaves a journal beside the file unread and writes none."""
    deadline = time.monotonic() + SECONDS
    try:
        with closing(
            sqlite3.connect(f"file:{path.resolve()}?mode=ro&immutable=1", uri=True)
        ) as opened:
            opened.text_factory = lambda data: data.decode("utf-8", "replace")
            opened.execute("PRAGMA trusted_schema = OFF")
            opened.execute("PRAGMA cell_size_check = ON")
            opened.set_authorizer(_authorized)
            opened.set_progress_handler(lambda: int(time.monotonic() > deadline), STEPS)
            yield _Lite(opened)
    except sqlite3.Error as error:
        raise UnreadableFile(f"{name} cannot be read as a SQLite database: {error}.") from error


def _authorized(
    action: int, _first: str | None, second: str | None, _base: str | None, _by: str | None
) -> int:
    """Reading of tables and the one function that the list of tables needs; nothing else."""
    asked = action in READS or (action == sqlite3.SQLITE_FUNCTION and second == "like")
    return sqlite3.SQLITE_OK if asked else sqlite3.SQLITE_DENY


class _Duck:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def tables(self) -> list[str]:
        found = self._connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal ORDER BY ALL"
        ).fetchall()
        return [table if schema == "main" else f"{schema}.{table}" for schema, table in found]

    def rows(self, table: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        schema, _, name = table.rpartition(".") if "." in table else ("main", "", table)
        cursor = self._connection.cursor()
        cursor.execute(f"SELECT * FROM {_quoted(schema)}.{_quoted(name)}")
        return [column[0] for column in cursor.description], _fetched(cursor)


def _fetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while block := cursor.fetchmany(4_000):
        yield from block


@contextmanager
def _duckdb(path: Path, name: str) -> Iterator[Opened]:
    import duckdb

    try:
        with closing(duckdb.connect(str(path), read_only=True, config=DUCK)) as opened:
            yield _Duck(opened)
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        raise UnreadableFile(f"{name} cannot be read as a DuckDB database: {said}") from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
