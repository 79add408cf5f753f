"""Running a guarded statement as a role that may read one workspace's tables and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError

from corpus.reader import statement_rows
from retrieval.sql.guard import ROW_CAP

if TYPE_CHECKING:
    from teams.models import User, Workspace


class SqlFailed(Exception):
    """The database did not run the statement. The message is the database's own."""


@dataclass(frozen=True, slots=True)
class Rows:
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


def rows_read(*, workspace: Workspace, user: User, statement: str) -> Rows:
    """The rows of `statement`, at most 1000, read as the workspace's reader role in the rights of `user`.

    Whatever the statement is, it can only read: the database sees to that without looking at its text
    (`corpus.reader.statement_rows`). Raises SqlFailed with the database's message: timeout, missing
    right, wrong type.
    """
    try:
        read = statement_rows(workspace=workspace, user=user, statement=statement, most=ROW_CAP + 1)
    except DatabaseError as error:
        raise SqlFailed(str(error).strip().splitlines()[0]) from error
    rows = tuple(read.rows[:ROW_CAP])
    return Rows(read.columns, rows, truncated=len(read.rows) > ROW_CAP)
