"""Uploads that a program may send again without doing them twice: the key that it gives names the first."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.errors import KeyReused
from corpus.models import Document, UploadKey
from corpus.uploads import Upload, document_upload
from teams.access import Right, require

if TYPE_CHECKING:
    from django.core.files.base import File

    from teams.models import User, Workspace

KEPT = timedelta(days=1)


@transaction.atomic
def document_upload_once(
    *,
    workspace: Workspace,
    user: User,
    name: str,
    content: File[Any],
    key: str,
    folders: bool = False,
) -> Upload:
    """As `document_upload`, but a repeated `key` of the same person gives the first outcome for a day.

    A second request that comes while the first is at work waits for it. An upload that is refused leaves
    no key, so that it can be mended and sent again. Raises KeyReused when the name or the bytes differ.
    """
    require(user, workspace, Right.UPLOAD)
    digest = _digest(name, content)
    UploadKey.objects.filter(user=user, created_at__lt=timezone.now() - KEPT).delete()
    row, made = UploadKey.objects.get_or_create(
        workspace=workspace, user=user, key=key, defaults={"digest": digest}
    )
    if row.digest != digest:
        raise KeyReused(_("This Idempotency-Key was used for another file. Send a new key."))
    first = None if made else _first(row, user)
    if first is not None:
        return first
    done = document_upload(
        workspace=workspace, user=user, name=name, content=content, folders=folders
    )
    row.document, row.outcome = done.document, done.outcome
    row.save(update_fields=["document", "outcome"])
    return done


def _first(row: UploadKey, user: User) -> Upload | None:
    """What the first request gave, if its person may still see that document."""
    rows = Document.objects.visible_to(user).select_related("workspace")
    document = rows.filter(pk=row.document_id).first()
    version = document.versions.first() if document is not None else None
    return Upload(document, version, row.outcome) if version is not None else None


def _digest(name: str, content: File[Any]) -> str:
    """SHA-256 of the name and the bytes; the file is at its start again afterwards."""
    digest = hashlib.sha256(name.encode("utf-8", "replace") + b"\x00")
    for part in content.chunks():
        digest.update(part)
    content.seek(0)
    return digest.hexdigest()
