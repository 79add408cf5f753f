"""Reading a workspace's tables as the role that may read those alone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import Workspace

TIMEOUT = "5s"


@contextmanager
def reader_cursor(workspace: Workspace) -> Iterator[Any]:
    """A cursor of the workspace's reader role: read only, its schema alone, with a timeout.

    Rolling back is what takes the settings off again, also inside a caller's transaction, where a
    savepoint stands for the transaction. Errors of the database are the caller's.
    """
    settings = sql.SQL(
        "SET LOCAL transaction_read_only = on; SET LOCAL statement_timeout = {timeout};"
        " SET LOCAL search_path = {schema}; SET LOCAL ROLE {role}"
    ).format(
        timeout=sql.Literal(TIMEOUT),
        schema=sql.Identifier(workspace.schema_name),
        role=sql.Identifier(workspace.reader_role),
    )
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(settings)
            yield cursor
        transaction.set_rollback(True)
