"""Taking up what broke off: versions whose worker died, and versions whose job got lost."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django_q.brokers import get_broker

from corpus.jobs import changed, version_queue
from corpus.models import DocumentVersion, VersionState

# So often in a row a reading may break off without a single passage more, then the file is to blame.
MOST_ATTEMPTS = 5


def stuck_requeue() -> int:
    """Queue again what nobody is reading. Gives how many versions that were.

    A version that was being read and has no heartbeat is taken up at once, unless its reading has broken
    off MOST_ATTEMPTS times without getting on. One that waits is queued again only when no job waits:
    else its own may still come.
    """
    now = timezone.now()
    broken = DocumentVersion.objects.filter(state=VersionState.READING).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    found = 0
    for version in broken.select_related("document"):
        found += _take_up(version)
    if get_broker().queue_size():
        return found
    lost = now - timedelta(seconds=settings.INGEST_LEASE_SECONDS)
    waiting = DocumentVersion.objects.filter(
        state=VersionState.QUEUED, lease_until=None, created_at__lt=lost
    )
    for version in waiting.select_related("document"):
        with transaction.atomic():
            version_queue(version=version)
        found += 1
    return found


@transaction.atomic
def _take_up(version: DocumentVersion) -> int:
    """Queue one broken reading again, or give it up. Nothing when it came back to life meanwhile."""
    same = DocumentVersion.objects.filter(
        pk=version.pk, state=VersionState.READING, lease_holder=version.lease_holder
    ).filter(Q(lease_until=None) | Q(lease_until__lt=timezone.now()))
    if version.attempts >= MOST_ATTEMPTS:
        reason = _(
            "Reading %(name)s broke off %(n)d times; the worker's log says why. "
            "Split the file, or save it in another format, then press “Try again”."
        ) % {"name": version.document.name, "n": version.attempts}
        same.update(state=VersionState.FAILED, error=reason, finished_at=timezone.now(), step="")
        changed(version.document)
        return 0
    if not same.update(state=VersionState.QUEUED, lease_until=None, lease_holder="", step=""):
        return 0
    version_queue(version=version)
    return 1
