"""What a person may ask of a version: stop reading it, try again, read it otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from corpus.jobs import changed, version_queue
from corpus.locks import names_lock
from corpus.models import Chunk, DocumentVersion, VersionState
from corpus.removal import version_discard

if TYPE_CHECKING:
    from collections.abc import Mapping

BUSY = (VersionState.QUEUED, VersionState.READING)


@transaction.atomic
def version_cancel(*, version: DocumentVersion) -> bool:
    """Stop reading a version. Gives whether there was anything to stop.

    What was read of it goes at once; its worker finds its lease gone and stops within seconds. An older
    version stays in service.
    """
    taken = DocumentVersion.objects.filter(pk=version.pk, state__in=BUSY).update(
        state=VersionState.CANCELLED,
        step="",
        done=0,
        total=0,
        lease_until=None,
        lease_holder="",
        finished_at=timezone.now(),
    )
    if taken:
        Chunk.objects.filter(version=version).delete()
        changed(version.document)
    return bool(taken)


@transaction.atomic
def version_retry(*, version: DocumentVersion) -> bool:
    """Read a version that failed, was cancelled or is stuck, from its last committed passage.

    Gives whether it was queued: one that a worker reads now, that is served, or whose document lies in
    the trash is left alone.
    """
    waiting = DocumentVersion.objects.filter(pk=version.pk, document__trashed_at=None)
    taken = waiting.exclude(state__in=[VersionState.READY, VersionState.REPLACED]).exclude(
        state=VersionState.READING, lease_until__gte=timezone.now()
    )
    queued = taken.update(
        state=VersionState.QUEUED, error="", attempts=0, lease_until=None, lease_holder=""
    )
    if queued:
        version_queue(version=version)
    return bool(queued)


@transaction.atomic
def version_reread(*, version: DocumentVersion, options: Mapping[str, str]) -> DocumentVersion:
    """Read the same bytes again as a person says. Gives the version that will hold the new reading.

    The reading that is served stays until the new one is whole: the new one is a version of its own,
    which takes over the bytes' identity at once and the place of the old one when it is published.
    Of a version that is not served only the options change. `options` may hold delimiter, encoding,
    header_row and numbers; one that is left out is recognised again.
    """
    document = version.document
    names_lock(document.workspace_id)
    served = document.current_id == version.pk
    if not served:
        version_cancel(version=version)
        version.refresh_from_db()
        version.options = dict(options)
        version.save(update_fields=["options"])
        Chunk.objects.filter(version=version).delete()
        version_retry(version=version)
        version.refresh_from_db()
        return version
    for waiting in document.versions.exclude(pk=version.pk):
        version_discard(version=waiting)
    again = DocumentVersion(
        document=document,
        sha256=version.sha256,
        size=version.size,
        kind=version.kind,
        options=dict(options),
    )
    DocumentVersion.objects.filter(pk=version.pk).update(sha256=f"read anew {version.pk.hex}")
    with version.file.open("rb") as held:
        again.file.save(document.name, File(held), save=False)
    again.save()
    version_queue(version=again)
    return again
