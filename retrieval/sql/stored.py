"""A statement of a stored answer, run once more in the rights that its reader has now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.catalogue import catalogue_read
from retrieval.sql.cross import cells_of
from retrieval.sql.execute import rows_read
from retrieval.sql.guard import guarded

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Table
    from retrieval.sql.execute import Rows
    from teams.models import User, Workspace


def tables_of(workspace: Workspace, user: User) -> list[Table]:
    """All that a stored statement may read for `user`: the tables, and their cells as in the file."""
    tables = catalogue_read(workspace=workspace, user=user)
    return [*tables, *(cells_of(table) for table in tables if table.raw_name)]


def rows_again(*, workspace: Workspace, user: User, sql: str) -> Rows:
    """The rows that `sql` gives now, guarded anew against the tables that `user` may read now.

    Raises SqlRefused when one of its tables is no longer there for them, and SqlFailed.
    """
    statement = guarded(sql, tables_of(workspace, user))
    return rows_read(workspace=workspace, user=user, statement=statement)
