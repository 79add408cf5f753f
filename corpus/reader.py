"""Reading a workspace's tables as the role that may read those alone."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, connection, transaction
from psycopg import pq, sql
from psycopg.errors import error_from_result

from teams.reader_roles import reader_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import Workspace

TIMEOUT = "5s"
WORK_MEM = "32MB"
# Settings of the reader's transaction beside its role; each is taken off by the roll-back.
SETTINGS = (
    "SET LOCAL transaction_read_only = on; SET LOCAL statement_timeout = {timeout};"
    " SET LOCAL lock_timeout = '1s'; SET LOCAL work_mem = {memory};"
    " SET LOCAL max_parallel_workers_per_gather = 0;"
    " SET LOCAL search_path = {schema}; SET LOCAL ROLE {role}"
)
# Types of columns that may leave a statement written by others, by their OID (pg_type.dat).
SHOWN = {
    16: "bool",
    20: "int8",
    21: "int2",
    23: "int4",
    25: "text",
    700: "float4",
    701: "float8",
    1042: "bpchar",
    1043: "varchar",
    1082: "date",
    1083: "time",
    1114: "timestamp",
    1184: "timestamptz",
    1700: "numeric",
}


class StatementUnfit(DatabaseError):
    """The statement gives nothing that may be shown: no columns, or columns of other types."""


@dataclass(frozen=True, slots=True)
class StatementRows:
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@contextmanager
def reader_cursor(workspace: Workspace) -> Iterator[Any]:
    """A cursor of the workspace's reader role: read only, its schema alone, with a timeout.

    For statements that the product itself composes; those of others go through `statement_rows`.
    Rolling back is what takes the settings off again, also inside a caller's transaction, where a
    savepoint stands for the transaction. Errors of the database are the caller's.
    """
    settings = sql.SQL(SETTINGS).format(
        timeout=sql.Literal(TIMEOUT),
        memory=sql.Literal(WORK_MEM),
        schema=sql.Identifier(workspace.schema_name),
        role=sql.Identifier(workspace.reader_role),
    )
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(settings)
            yield cursor
        transaction.set_rollback(True)


def statement_rows(*, workspace: Workspace, statement: str, most: int) -> StatementRows:
    """The first `most` rows of a statement that nobody vouches for.

    It is described first, which takes one statement and runs nothing, and then run inside the function
    of the reader role (`teams.reader_roles`): there it can change neither role nor data, and locks that
    it took for the session are given back after it. Raises DatabaseError.
    """
    try:
        with reader_cursor(workspace) as cursor:
            columns, types = _described(cursor, statement)
            names = [sql.Identifier(f"c{at}") for at in range(len(types))]
            row = [
                sql.SQL("{} {}").format(name, sql.SQL(kind))
                for name, kind in zip(names, types, strict=True)
            ]
            cursor.execute(
                sql.SQL("SELECT * FROM {}({}, {}) AS t ({})").format(
                    reader_function(workspace.schema_name, workspace.reader_role),
                    sql.Literal(statement),
                    sql.Literal(most),
                    sql.SQL(", ").join(row),
                )
            )
            rows = list(cursor.fetchall())
    finally:
        _session_locks_free()
    return StatementRows(columns, rows)


def _described(cursor: Any, statement: str) -> tuple[tuple[str, ...], list[str]]:
    """Names and types of the columns, as the database reads the statement. It is not run."""
    pgconn = cursor.connection.pgconn
    # psycopg's own roads send a statement without parameters in a way that takes several.
    for result in (
        pgconn.prepare(b"", statement.encode()),
        pgconn.describe_prepared(b""),
    ):
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise DatabaseError(str(error_from_result(result)))
    if result.nparams:
        raise StatementUnfit("the statement holds parameters")
    if not result.nfields:
        raise StatementUnfit("the statement gives no rows")
    columns = tuple((result.fname(at) or b"").decode() for at in range(result.nfields))
    types = []
    for at, name in enumerate(columns):
        kind = SHOWN.get(result.ftype(at))
        if kind is None:
            raise StatementUnfit(f"column {name} is of a type that may not be shown")
        types.append(kind)
    return columns, types


def _session_locks_free() -> None:
    """What outlives a roll-back: locks of the session. The product holds none where it asks questions."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all()")
