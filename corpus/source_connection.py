"""Reading a PostgreSQL database of others: read only, within limits of time, cost, rows and bytes."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import psycopg
from django.conf import settings
from django.utils.translation import gettext as _
from psycopg import sql

from corpus.errors import CorpusError
from corpus.source_hosts import SourceRefused, address_of
from engines.sealing import SealBroken, unseal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.source_models import DataSource

MOST_ROWS, MOST_LISTED = 1_000_000, 500
# In the planner's own unit, about the reading of one page; a full scan of 10 GB is some 1.3 million.
MOST_COST = 5_000_000
CONNECT_SECONDS = 5
OPTIONS = (
    "-c default_transaction_read_only=on -c statement_timeout=60000 -c lock_timeout=2000"
    " -c idle_in_transaction_session_timeout=60000"
)
LIST = """
SELECT n.nspname || '.' || c.relname, greatest(c.reltuples, 0)::bigint,
  (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY 1 LIMIT %s
"""
BOOLEAN, BYTES = 16, 17


class SourceFailed(CorpusError):
    """The database of others did not do what was asked. The message is its own, or says what to do."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A table that may be read. `rows` is the planner's estimate, 0 where it has none."""

    name: str
    rows: int
    columns: int


@contextmanager
def connected(source: DataSource) -> Iterator[psycopg.Connection[Any]]:
    """A connection whose one transaction is read only and sees one moment. Raises SourceFailed."""
    try:
        password = unseal(source.sealed_password)
    except SealBroken as error:
        raise SourceFailed(_("The password has to be entered again.")) from error
    number = address_of(source.host, source.port, source.database)
    try:
        with psycopg.connect(
            host=source.host,
            hostaddr=number or None,
            port=source.port,
            dbname=source.database,
            user=source.username,
            password=password,
            sslmode="require" if source.encrypted else "disable",
            connect_timeout=CONNECT_SECONDS,
            options=OPTIONS,
            application_name="polyrag-source",
        ) as opened:
            opened.read_only = True
            opened.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            opened.execute("SET LOCAL search_path TO pg_catalog")
            row = opened.execute(
                "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            if row is None or row[0]:
                raise SourceRefused(
                    _("This account may do everything there. Give one that may only read.")
                )
            opened.execute("RESET search_path")
            yield opened
            opened.rollback()
    except psycopg.Error as error:
        raise SourceFailed(_told(error)) from error


def _told(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def listed(source: DataSource) -> list[Listed]:
    """The tables and views that the account may read, at most 500. Raises SourceFailed."""
    with connected(source) as opened:
        return [Listed(*row) for row in opened.execute(LIST, [MOST_LISTED])]


@contextmanager
def table_csv(opened: psycopg.Connection[Any], table: str) -> Iterator[IO[bytes]]:
    """The rows of `schema.table` as a CSV file, open at its start. Raises SourceFailed."""
    schema, _dot, name = table.partition(".")
    with _csv(opened, sql.Identifier(schema, name)) as file:
        yield file


@contextmanager
def query_csv(opened: psycopg.Connection[Any], checked: str) -> Iterator[IO[bytes]]:
    """The rows of a statement that `query_checked` wrote, likewise."""
    with _csv(opened, sql.SQL("({})").format(sql.SQL(checked))) as file:
        yield file


@contextmanager
def _csv(opened: psycopg.Connection[Any], relation: sql.Composable) -> Iterator[IO[bytes]]:
    described = opened.execute(sql.SQL("SELECT * FROM {} AS q LIMIT 0").format(relation))
    columns = [_column(column) for column in described.description or ()]
    if not columns:
        raise SourceFailed(_("It has no columns that can be read."))
    select = sql.SQL("SELECT {} FROM {} AS q LIMIT {}").format(
        sql.SQL(", ").join(columns), relation, sql.Literal(MOST_ROWS)
    )
    _affordable(opened, select)
    limit = settings.UPLOAD_MAX_BYTES
    with tempfile.TemporaryFile() as file:
        size = 0
        statement = sql.SQL("COPY ({}) TO STDOUT WITH (FORMAT csv, HEADER)").format(select)
        with opened.cursor().copy(statement) as copy:
            for block in copy:
                size += len(block)
                if size > limit:
                    said = _("It holds more than %(limit)s MB. Choose fewer rows by a SELECT.")
                    raise SourceFailed(said % {"limit": limit // 1024 // 1024})
                file.write(block)
        file.seek(0)
        yield file


def _column(column: Any) -> sql.Composable:
    """A column as CSV holds it: words for yes and no, nothing for bytes."""
    name = sql.Identifier("q", column.name)
    if column.type_code == BOOLEAN:
        made = sql.SQL("CASE WHEN {name} THEN 'true' WHEN NOT {name} THEN 'false' END AS {label}")
    elif column.type_code == BYTES:
        made = sql.SQL("NULL AS {label}")
    else:
        made = sql.SQL("{name}")
    return made.format(name=name, label=sql.Identifier(column.name))


def _affordable(opened: psycopg.Connection[Any], select: sql.Composed) -> None:
    """Raise SourceFailed where the planner holds the statement for too costly. Nothing is run."""
    row = opened.execute(sql.SQL("EXPLAIN (FORMAT JSON) {}").format(select)).fetchone()
    cost = float(row[0][0]["Plan"]["Total Cost"]) if row else 0.0
    if cost > MOST_COST:
        said = _("Reading it would cost too much there (estimated %(cost)s, at most %(most)s).")
        raise SourceFailed(said % {"cost": f"{cost:.0f}", "most": MOST_COST})
