"""Reading tables as the role that may read those of one workspace, in the rights of one person."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, connection, transaction
from psycopg import pq, sql
from psycopg.errors import error_from_result

from corpus.models import DataTable
from corpus.table_store import HIDDEN
from teams.access import Right, holds
from teams.reader_roles import reader_function
from teams.visibility import Visibility

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import User, Workspace

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
    """The statement gives nothing that may be shown: no columns, columns of other types, or not to this
    person."""


@dataclass(frozen=True, slots=True)
class StatementRows:
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@contextmanager
def reader_cursor(workspace: Workspace, user: User, statement: str) -> Iterator[Any]:
    """A cursor of the workspace's reader role for `statement`: read only, its schema alone, with a timeout.

    The role holds the tables that everybody in the workspace may read. Those of other documents that `user`
    may read are given to it inside this transaction, which no other sees and which is always rolled back
    (docs/decisions/0016-rights-per-document.md); of them only those that `statement` names, which gains
    nothing by naming others. Statements that others wrote go on through `statement_rows`.
    Rolling back is also what takes the settings off again, inside a caller's transaction too, where a
    savepoint stands for the transaction. Errors of the database are the caller's; StatementUnfit comes for
    who may not see the workspace, whatever the statement.
    """
    settings = sql.SQL(SETTINGS).format(
        timeout=sql.Literal(TIMEOUT),
        memory=sql.Literal(WORK_MEM),
        schema=sql.Identifier(workspace.schema_name),
        role=sql.Identifier(workspace.reader_role),
    )
    if not holds(user, workspace, Right.SEE):
        raise StatementUnfit("this person may not read the workspace")
    given = [name for name in _restricted(workspace, user, statement) if name in statement]
    with transaction.atomic():
        with connection.cursor() as cursor:
            if given:
                cursor.execute(_grant(workspace, given))
            cursor.execute(settings)
            yield cursor
        transaction.set_rollback(True)


def _restricted(workspace: Workspace, user: User, statement: str) -> list[str]:
    """Names of the real tables that `user` may read and not everybody in the workspace may; none are sought
    where the statement names none that is called as they are."""
    if not HIDDEN.search(statement):
        return []
    rows = DataTable.objects.visible_to(user).in_workspace(workspace)
    held = rows.exclude(document__visibility=Visibility.WORKSPACE)
    pairs = held.values_list("sql_name", "raw_name")
    return [name for pair in pairs for name in pair if name]


def _grant(workspace: Workspace, names: list[str]) -> sql.Composed:
    tables = [sql.Identifier(workspace.schema_name, name) for name in names]
    return sql.SQL("GRANT SELECT ON {tables} TO {role}").format(
        tables=sql.SQL(", ").join(tables), role=sql.Identifier(workspace.reader_role)
    )


def statement_rows(*, workspace: Workspace, user: User, statement: str, most: int) -> StatementRows:
    """The first `most` rows of a statement that nobody vouches for, in the rights of `user`.

    It is described first, which takes one statement and runs nothing, and then run inside the function
    of the reader role (`teams.reader_roles`): there it can change neither role nor data, and locks that
    it took for the session are given back after it. Raises DatabaseError.
    """
    try:
        with reader_cursor(workspace, user, statement) as cursor:
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
