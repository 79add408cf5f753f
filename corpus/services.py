"""Writes of the room that a person asks for: upload, replace, delete, retry."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django_q.tasks import async_task

from corpus.errors import UnreadableFile, UploadRefused
from corpus.models import Chunk, DataTable, Document, DocumentVersion, Entity, VersionState
from corpus.parsing import sniff
from corpus.table_store import table_drop
from routing.services import store_terms_delete
from teams.access import Right, require
from telemetry.live import corpus_group, publish

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable

    from teams.models import User, Workspace

# Called with the keys of versions that were taken away, inside the transaction that does it.
VERSIONS_REMOVED: list[Callable[[list[uuid.UUID]], None]] = []


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of an upload: `outcome` is new, replaced or unchanged."""

    document: Document
    version: DocumentVersion
    outcome: str


def document_upload(*, workspace: Workspace, user: User, name: str, content: File[Any]) -> Upload:
    """Take a file and queue its reading. The same bytes change nothing, under whatever name.

    Raises UploadRefused, with nothing stored, when the file is empty, too large or of no known type.
    """
    require(user, workspace, Right.UPLOAD)
    name = clean_name(name)
    limit = settings.UPLOAD_MAX_BYTES
    if content.size is not None and content.size > limit:
        raise UploadRefused(
            _(
                "%(name)s is larger than %(limit)s MB. Split it, or ask the operator to raise the limit."
            )
            % {"name": name, "limit": limit // 1024 // 1024}
        )
    with tempfile.NamedTemporaryFile() as copy:
        digest, size = hashlib.sha256(), 0
        for part in content.chunks():
            digest.update(part)
            size += len(part)
            copy.write(part)
        copy.flush()
        try:
            kind = sniff(Path(copy.name), name)
        except UnreadableFile as error:
            raise UploadRefused(str(error)) from error
        copy.seek(0)
        stored: File[Any] = File(copy, name=name)
        return _version_add(workspace, user, name, digest.hexdigest(), size, kind, stored)


@transaction.atomic
def _version_add(
    workspace: Workspace,
    user: User,
    name: str,
    sha256: str,
    size: int,
    kind: str,
    content: File[Any],
) -> Upload:
    same = DocumentVersion.objects.in_workspace(workspace).filter(sha256=sha256)
    known = same.exclude(state__in=[VersionState.REPLACED, VersionState.FAILED]).first()
    if known is not None:
        return Upload(known.document, known, "unchanged")
    document, created = Document.objects.get_or_create(
        workspace=workspace, name=name, defaults={"uploaded_by": user}
    )
    # A failed or replaced version with these very bytes is read again from the start.
    for old in document.versions.filter(sha256=sha256):
        version_remove(version=old)
    version = DocumentVersion(document=document, sha256=sha256, size=size, kind=kind)
    version.file.save(name, content, save=False)
    version.save()
    version_queue(version=version)
    return Upload(document, version, "new" if created else "replaced")


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


@transaction.atomic
def version_retry(*, version: DocumentVersion) -> None:
    """Read a version again from its last committed passage, unless a worker reads it now."""
    free = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    taken = DocumentVersion.objects.filter(free, pk=version.pk).update(
        state=VersionState.QUEUED, error="", lease_until=None, lease_holder=""
    )
    if taken:
        version_queue(version=version)


@transaction.atomic
def document_delete(*, document: Document) -> None:
    """Remove a document with every trace that it left in any store."""
    for version in document.versions.all():
        version_remove(version=version)
    store_terms_delete(document_id=document.pk)
    changed(document)
    document.delete()


def version_remove(*, version: DocumentVersion) -> None:
    """Take one version out of every store. Runs in the caller's transaction."""
    for table in DataTable.objects.filter(version=version).select_related("workspace"):
        table_drop(table=table)
    Chunk.objects.filter(version=version).delete()
    entities_sweep(workspace_id=version.document.workspace_id)
    for told in VERSIONS_REMOVED:
        told([version.pk])
    storage, name = version.file.storage, version.file.name
    if name:
        transaction.on_commit(lambda: storage.delete(name))
    version.delete()


def entities_sweep(*, workspace_id: uuid.UUID) -> None:
    """Entities that no passage mentions any more go with their last source."""
    Entity.objects.filter(workspace_id=workspace_id, mentions=None).delete()


def folder_ingest(*, workspace: Workspace, user: User, folder: Path) -> list[Upload]:
    """Upload every file of a folder, in the order of names. Raises UploadRefused on the first bad one."""
    uploads = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            with path.open("rb") as handle:
                uploads.append(
                    document_upload(
                        workspace=workspace,
                        user=user,
                        name=path.name,
                        content=File(handle, name=path.name),
                    )
                )
    return uploads


def clean_name(name: str) -> str:
    """A file's name as text: no folders, no control signs, 255 characters at most."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    readable = "".join(sign for sign in last if sign.isprintable()).strip(". ")
    return readable[-255:] or _("unnamed")
