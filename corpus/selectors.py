"""Reads of the room that others share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import F
from django.utils import timezone

from corpus.models import Chunk, DataTable, Document, DocumentVersion, Relation, VersionState

if TYPE_CHECKING:
    from teams.models import User, Workspace

WORKER_NAME = "polyrag-worker"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reading of a version has come, counted from what is committed.

    `done` of `total` units of `step` (parse, embed or store; empty while it waits) stand; `stuck` says
    that nobody is reading it, though it was begun.
    """

    step: str
    done: int
    total: int
    stuck: bool

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0


def progress_of(version: DocumentVersion) -> Progress:
    begun = version.state == VersionState.READING
    alive = version.lease_until is not None and version.lease_until >= timezone.now()
    if version.state == VersionState.READY:
        return Progress("", 1, 1, stuck=False)
    return Progress(version.step, version.done, version.total, stuck=begun and not alive)


def documents_live(workspace: Workspace, user: User) -> Any:
    """Documents of `workspace` that `user` may see, without those in the trash."""
    return Document.objects.visible_to(user).in_workspace(workspace).filter(trashed_at=None)


def documents_trashed(workspace: Workspace, user: User) -> Any:
    """What lies in the trash, last thrown away first; members of a container go with it unnamed."""
    rows = Document.objects.visible_to(user).in_workspace(workspace)
    alone = rows.filter(trashed_at__isnull=False).exclude(parent__trashed_at=F("trashed_at"))
    return alone.order_by("-trashed_at", "name")


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


def read_digest(workspace: Workspace, user: User, *more: str) -> str:
    """A digest of what `user` may read in `workspace` now: the served versions of the documents shown to
    them, when each was read, and the fields `more` of those documents.

    It changes with every version that comes or goes or gets new vectors, and with every change of who may
    read what; those who may read the same have the same. All that is kept is kept by it.
    """
    rows = Document.objects.visible_to(user).in_workspace(workspace).filter(current__isnull=False)
    read = rows.order_by("pk").values_list("pk", "current_id", "current__finished_at", *more)
    return hashlib.sha256(repr(list(read)).encode()).hexdigest()


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
