"""Reads of the room that others share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import F

from corpus.models import Chunk, DataTable, Relation

if TYPE_CHECKING:
    from teams.models import User, Workspace

WORKER_NAME = "polyrag-worker"


def chunks_live(workspace: Workspace, user: User) -> Any:
    """Passages of current versions in `workspace` that `user` may see."""
    rows = Chunk.objects.visible_to(user).in_workspace(workspace)
    return rows.filter(version=F("document__current"))


def tables_live(workspace: Workspace, user: User) -> Any:
    rows = DataTable.objects.visible_to(user).in_workspace(workspace)
    return rows.filter(version=F("document__current"))


def relations_live(workspace: Workspace, user: User) -> Any:
    rows = Relation.objects.visible_to(user).in_workspace(workspace)
    return rows.filter(chunk__version=F("chunk__document__current"))


def worker_alive() -> bool:
    """Whether a worker is connected to the database, on whatever host it runs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = %s)",
            [WORKER_NAME],
        )
        row = cursor.fetchone()
    return bool(row and row[0])
