"""Work that is handed to the workers, and telling open pages that a document changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django_q.tasks import async_task

from corpus.models import Document
from teams.visibility import reader_ids
from telemetry.live import corpus_group, publish

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    from corpus.models import DocumentVersion


def version_queue(*, version: DocumentVersion) -> None:
    """Ask a worker to read the version, once this is committed, and tell open pages."""
    key = str(version.pk)
    transaction.on_commit(lambda: async_task("corpus.tasks.version_read", key, group="ingest"))
    changed(version.document)


def changed(document: Document, *, also: Iterable[int] | None = ()) -> None:
    """Tell the open pages of those who may read it, and of the people `also` (None: everybody)."""
    readers = reader_ids(document)
    told = None if readers is None or also is None else sorted({*readers, *also})
    publish(
        corpus_group(document.workspace_id),
        {"type": "corpus.changed", "document": str(document.pk), "readers": told},
    )


def progressed(document_id: uuid.UUID) -> None:
    """Tell those who may read the document, if it is still there, that a job has come past it."""
    document = Document.objects.filter(pk=document_id).first()
    if document is not None:
        changed(document)
