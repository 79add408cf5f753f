"""Taking a file in. The SHA-256 of its bytes is its identity: the same bytes change nothing."""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from corpus.audience import EVERYBODY, Audience, audience_begin
from corpus.errors import UnreadableFile, UploadRefused, UploadTooLarge
from corpus.jobs import changed, version_queue
from corpus.locks import names_lock
from corpus.models import Document, DocumentVersion, VersionState
from corpus.naming import clean_name, document_rename
from corpus.parsing import sniff
from corpus.quotas import upload_admit
from corpus.removal import version_discard
from corpus.told import target_of
from corpus.trash import document_restore
from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from teams.models import User, Workspace

# A version in one of these states does not stand for its bytes: uploading them reads them.
UNREAD = (VersionState.REPLACED, VersionState.FAILED, VersionState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Upload:
    """What became of an upload: `outcome` is new, replaced, unchanged, or restored from the trash."""

    document: Document
    version: DocumentVersion
    outcome: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file that was looked at and may be taken: its bytes lie in `content`, open at their start."""

    name: str
    kind: str
    sha256: str
    size: int
    content: File[Any]


def document_upload(
    *,
    workspace: Workspace,
    user: User,
    name: str,
    content: File[Any],
    folders: bool = False,
    audience: Audience = EVERYBODY,
) -> Upload:
    """Take a file for `audience` and queue its reading. The same bytes for the same readers change
    nothing, under whatever name; what other people read is another document, of which nothing is told.

    Bytes that lie in the trash come out of it, under the name of the upload, unless that name stands
    for another document now: then they replace what it held. With `folders` the name keeps its folders,
    as text. Raises UploadRefused, with nothing stored, when the file is empty, too large or of no known
    type.
    """
    require(user, workspace, Right.UPLOAD)
    with examined(clean_name(name, folders=folders), content) as incoming:
        return upload_store(workspace=workspace, user=user, incoming=incoming, audience=audience)


@contextmanager
def examined(name: str, content: File[Any]) -> Iterator[Incoming]:
    """Copy the bytes aside, hash and sniff them. Raises UploadRefused with the reason."""
    limit = settings.UPLOAD_MAX_BYTES
    if content.size is not None and content.size > limit:
        raise UploadTooLarge(
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
        yield Incoming(name, kind, digest.hexdigest(), size, File(copy, name=name))


@transaction.atomic
def upload_store(
    *,
    workspace: Workspace,
    user: User | None,
    incoming: Incoming,
    audience: Audience = EVERYBODY,
) -> Upload:
    """Decide by the bytes what the upload is, and queue it for reading unless nothing changed."""
    upload = _stored(workspace, user, incoming, audience)
    # What comes out of the trash is told by its restoring.
    if upload.outcome in ("new", "replaced"):
        audit_record(
            action=AuditAction.UPLOADED,
            actor=user,
            workspace=workspace,
            target=target_of(upload.document),
            details={"document": str(upload.document.pk), "outcome": upload.outcome},
        )
    return upload


def _stored(
    workspace: Workspace, user: User | None, incoming: Incoming, audience: Audience
) -> Upload:
    names_lock(workspace.pk)
    readers = audience.key(user.pk if user else None)
    same = (
        DocumentVersion.objects.in_workspace(workspace)
        .filter(sha256=incoming.sha256, document__audience=readers)
        .select_related("document__workspace")
    )
    known = same.filter(document__trashed_at=None).exclude(state__in=UNREAD).first()
    if known is not None:
        return _known(known, incoming.name)
    document = Document.objects.filter(
        workspace=workspace, name=incoming.name, trashed_at=None, audience=readers
    ).first()
    if user is not None:
        # Bytes that are here already cost nothing; what comes out of the trash counts still.
        upload_admit(workspace=workspace, user=user, size=incoming.size)
    if document is None:
        # A member of a container that lies in the trash returns with its container alone.
        trashed = same.filter(document__trashed_at__isnull=False, document__parent=None).first()
        if trashed is not None:
            return _from_trash(trashed, incoming.name, user)
        document = Document.objects.create(
            workspace=workspace, name=incoming.name, uploaded_by=user, audience=readers
        )
        audience_begin(document=document, audience=audience)
        return Upload(document, version_add(document=document, incoming=incoming), "new")
    version = version_add(document=document, incoming=incoming)
    return Upload(document, version, "replaced")


def version_add(*, document: Document, incoming: Incoming) -> DocumentVersion:
    """A new version of the document, queued. The one that is served stays until this one is read.

    Versions that were never served go: what is uploaded last is what counts.
    """
    for old in unserved(document):
        version_discard(version=old)
    version = DocumentVersion(
        document=document, sha256=incoming.sha256, size=incoming.size, kind=incoming.kind
    )
    version.file.save(incoming.name, incoming.content, save=False)
    version.save()
    version_queue(version=version)
    return version


def unserved(document: Document) -> QuerySet[DocumentVersion]:
    """Versions that are in no store: waiting, being read, failed or cancelled."""
    held = document.versions.all()
    return held if document.current is None else held.exclude(pk=document.current.pk)


def _known(known: DocumentVersion, name: str) -> Upload:
    """The bytes are here. What was uploaded in between under the same name no longer counts.

    A file that came in as part of another and is now uploaded by itself stands on its own from then on,
    so that it does not go with its container.
    """
    document = known.document
    if document.parent_id is not None:
        document.parent = None
        document.save(update_fields=["parent"])
        document_rename(document=document, name=name)
        changed(document)
    if document.current_id == known.pk:
        for newer in unserved(document):
            version_discard(version=newer)
            changed(document)
    return Upload(document, known, "unchanged")


def _from_trash(version: DocumentVersion, name: str, user: User | None) -> Upload:
    document_restore(document=version.document, user=user, name=name)
    version.refresh_from_db()
    return Upload(version.document, version, "restored")
