"""Web tables as CSV, loaded by the product's own path into a workspace that is removed afterwards."""

from __future__ import annotations

import csv
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.core.files.base import File
from django.db import connection
from psycopg import sql

from corpus.ingest import version_read
from corpus.models import DataTable
from corpus.services import document_delete, document_upload
from teams.models import User
from teams.services import workspace_create, workspace_delete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from teams.models import Workspace


def web_tables(
    folder: Path, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How many CSVs become one real table, as wide as the file's header and with every row of the file but
    those that the reading says it left out, such as a total at the end; and how many without such.

    What stands in a file is told by Python's csv with backslash escapes, apart from our own reading.
    """
    details: list[dict[str, Any]] = []
    with _scratch() as (workspace, user):
        for path in sorted(folder.glob("*.csv")):
            with path.open(encoding="utf-8", newline="") as handle:
                rows = [
                    row for row in csv.reader(handle, escapechar="\\", doublequote=False) if row
                ]
            wanted = (len(rows[0]), len(rows) - 1)
            shapes = _loaded(workspace, user, path)
            ok = [(width, held + left_out) for width, held, left_out in shapes] == [wanted]
            whole = ok and shapes[0][2] == 0
            details.append(
                {"name": path.name, "ok": ok, "whole": whole, "wanted": wanted, "loaded": shapes}
            )
            if not whole:
                say(f"table {path.name}: columns, rows, rows left out {shapes} for {wanted}")
    figures = {
        "wtq_tables": len(details),
        "wtq_tables_ok": sum(bool(row["ok"]) for row in details),
        "wtq_tables_every_row": sum(bool(row["whole"]) for row in details),
    }
    return figures, details


@contextmanager
def _scratch() -> Iterator[tuple[Workspace, User]]:
    name = f"reading-{secrets.token_hex(4)}"
    user = User.objects.create(username=name, is_active=True)
    workspace = workspace_create(name=name, owner=user, slug=name)
    try:
        yield workspace, user
    finally:
        for document in workspace.documents.all():
            document_delete(document=document)
        workspace_delete(workspace=workspace)
        user.delete()


def _loaded(workspace: Workspace, user: User, path: Path) -> list[tuple[int, int, int]]:
    """Columns, rows and rows left out of each real table that the file became."""
    with path.open("rb") as handle:
        content: File[Any] = File(handle, name=path.name)
        done = document_upload(workspace=workspace, user=user, name=path.name, content=content)
    version_read(str(done.version.pk))
    shapes = []
    for table in DataTable.objects.filter(version=done.version):
        name = sql.Identifier(workspace.schema_name, table.sql_name)
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("SELECT * FROM {}").format(name))
            width = len(cursor.description or ())
            held = len(cursor.fetchall())
        shapes.append((width, held, int(table.reading.get("left_out", 0))))
    return shapes
