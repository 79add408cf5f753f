"""Running a guarded statement as a role that may read one workspace's tables and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError

from corpus.reader import reader_cursor
from retrieval.sql.guard import ROW_CAP

if TYPE_CHECKING:
    from teams.models import Workspace


class SqlFailed(Exception):
    """The database did not run the statement. The message is the database's own."""


@dataclass(frozen=True, slots=True)
class Rows:
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


def rows_read(*, workspace: Workspace, statement: str) -> Rows:
    """The rows of `statement`, at most 1000, read as the workspace's reader role.

    Four round trips: begin, settings, statement, roll back.
    Raises SqlFailed with the database's message: timeout, missing right, wrong type.
    """
    try:
        with reader_cursor(workspace) as cursor:
            cursor.execute(statement)
            columns = tuple(column.name for column in cursor.description or ())
            rows = cursor.fetchmany(ROW_CAP + 1)
    except DatabaseError as error:
        raise SqlFailed(str(error).strip().splitlines()[0]) from error
    return Rows(columns, tuple(rows[:ROW_CAP]), truncated=len(rows) > ROW_CAP)
