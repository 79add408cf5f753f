"""Work that is handed to the workers, and telling open pages that a document changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django_q.tasks import async_task

from telemetry.live import corpus_group, publish

if TYPE_CHECKING:
    from corpus.models import Document, DocumentVersion


def version_queue(*, version: DocumentVersion) -> None:
    """Ask a worker to read the version, once this is committed, and tell open pages."""
    key = str(version.pk)
    transaction.on_commit(lambda: async_task("corpus.tasks.version_read", key, group="ingest"))
    changed(version.document)


def changed(document: Document) -> None:
    publish(
        corpus_group(document.workspace_id),
        {"type": "corpus.changed", "document": str(document.pk)},
    )
