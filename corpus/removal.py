"""Taking a version away, in the transaction of the caller, who holds the stores' lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from corpus.aliases import aliases_settle
from corpus.models import Chunk, DataTable, DocumentVersion, Entity, Page
from corpus.table_store import table_drop

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from teams.models import Workspace

# Called with the keys of versions that were taken away, inside the transaction that does it.
VERSIONS_REMOVED: list[Callable[[list[uuid.UUID]], None]] = []


def version_unstore(*, version: DocumentVersion) -> None:
    """Take all that was read from a version out of every store. Its row and its file stay.

    The caller ends with `entities_sweep`, once for all that goes and comes in this transaction.
    """
    for table in DataTable.objects.filter(version=version).select_related("workspace"):
        table_drop(table=table)
    Chunk.objects.filter(version=version).delete()
    Page.objects.filter(version=version).delete()
    for told in VERSIONS_REMOVED:
        told([version.pk])


def version_remove(*, version: DocumentVersion) -> None:
    """Take a version out of every store, and its row and its file away."""
    version_unstore(version=version)
    _row_delete(version)


def version_discard(*, version: DocumentVersion) -> None:
    """Take away a version that was never served: it has entered no store, so none is locked."""
    for told in VERSIONS_REMOVED:
        told([version.pk])
    _row_delete(version)


def _row_delete(version: DocumentVersion) -> None:
    storage, name = version.file.storage, version.file.name
    if name:
        transaction.on_commit(lambda: storage.delete(name))
    version.delete()


def workspace_files_remove(workspace: Workspace) -> None:
    """Take the files of a workspace's documents away once its deletion holds; its rows go by themselves."""
    versions = list(DocumentVersion.objects.in_workspace(workspace))
    for told in VERSIONS_REMOVED:
        told([version.pk for version in versions])
    files = [(one.file.storage, one.file.name) for one in versions if one.file.name]

    def remove() -> None:
        for storage, name in files:
            storage.delete(name)

    transaction.on_commit(remove)


def entities_sweep(*, workspace_id: uuid.UUID) -> None:
    """Entities that no passage mentions any more go with their last source, and with them their aliases."""
    Entity.objects.filter(workspace_id=workspace_id, mentions=None).delete()
    aliases_settle(workspace_id=workspace_id)
