"""The right to read a version: one worker at a time, renewed while it lives, lost when it is taken away."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from corpus.models import DocumentVersion, VersionState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

# A worker looks this often whether somebody wants it to stop.
POLL_SECONDS = 1.0


class LeaseLost(Exception):
    """The version was cancelled, trashed, deleted or given to another worker: write nothing more."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A version that this worker reads. Everything it writes goes through `commit` or `rows`."""

    version: DocumentVersion
    holder: str
    lost: threading.Event = field(default_factory=threading.Event)

    def rows(self) -> QuerySet[DocumentVersion]:
        """The version's row, for one conditional statement; no row once the lease is lost."""
        held: QuerySet[DocumentVersion] = DocumentVersion.objects.filter(
            pk=self.version.pk, lease_holder=self.holder, state=VersionState.READING
        )
        return held

    @contextmanager
    def commit(self) -> Iterator[None]:
        """A transaction in which nobody can take the lease away. Raises LeaseLost if it is gone."""
        with transaction.atomic():
            if self.lost.is_set() or not self.rows().select_for_update(no_key=True).exists():
                raise LeaseLost
            yield


def lease_take(version_id: str) -> Lease | None:
    """Take the version if nobody holds it. One conditional statement, so that two cannot."""
    now, holder = timezone.now(), uuid.uuid4().hex
    taken = (
        DocumentVersion.objects.filter(pk=version_id)
        .filter(Q(lease_until=None) | Q(lease_until__lt=now))
        .filter(state__in=[VersionState.QUEUED, VersionState.READING])
        .update(
            lease_holder=holder,
            lease_until=now + timedelta(seconds=settings.INGEST_LEASE_SECONDS),
            state=VersionState.READING,
            step="parse",
            done=0,
            total=0,
            attempts=F("attempts") + 1,
            error="",
        )
    )
    if not taken:
        return None
    row = DocumentVersion.objects.select_related("document__workspace").get(pk=version_id)
    return Lease(row, holder)


@contextmanager
def lease_kept(lease: Lease) -> Iterator[None]:
    """Renew the lease from a thread while the block runs, notice its loss, give it back at the end."""
    done = threading.Event()
    thread = threading.Thread(target=_renew, args=(lease, done), daemon=True)
    # A thread has a connection of its own and would not see what an open transaction has written.
    alone = connection.in_atomic_block
    if not alone:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if not alone:
            thread.join()
        DocumentVersion.objects.filter(pk=lease.version.pk, lease_holder=lease.holder).update(
            lease_until=None, lease_holder=""
        )


def _renew(lease: Lease, done: threading.Event) -> None:
    seconds = settings.INGEST_LEASE_SECONDS
    renewed = time.monotonic()
    try:
        while not done.wait(min(POLL_SECONDS, seconds / 4)):
            if time.monotonic() - renewed < seconds / 4:
                held = lease.rows().exists()
            else:
                until = timezone.now() + timedelta(seconds=seconds)
                held = bool(lease.rows().update(lease_until=until))
                renewed = time.monotonic()
            if not held:
                lease.lost.set()
                return
    finally:
        connection.close()
