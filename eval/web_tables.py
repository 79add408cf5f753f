"""Web tables as CSV, loaded by the product's own path into a workspace that is removed afterwards."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from django.db import connection
from psycopg import sql

from eval.scratch import file_loaded, scratch_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from teams.models import User, Workspace


def web_tables(
    folder: Path, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How many CSVs become one real table, as wide as the file's header and with every row of the file but
    those that the reading says it left out, such as a total at the end; and how many without such.

    What stands in a file is told by Python's csv with backslash escapes, apart from our own reading.
    """
    details: list[dict[str, Any]] = []
    with scratch_workspace("reading") as (workspace, user):
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


def _loaded(workspace: Workspace, user: User, path: Path) -> list[tuple[int, int, int]]:
    """Columns, rows and rows left out of each real table that the file became."""
    shapes = []
    for table in file_loaded(workspace, user, path):
        name = sql.Identifier(workspace.schema_name, table.sql_name)
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("SELECT * FROM {}").format(name))
            width = len(cursor.description or ())
            held = len(cursor.fetchall())
        shapes.append((width, held, int(table.reading.get("left_out", 0))))
    return shapes
