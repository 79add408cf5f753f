"""When the themes of a workspace are made anew: asked for by each change, several changes by one job."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django_q.tasks import async_task

from corpus.locks import THEMES, job_turn
from corpus.models import Chunk, Document, DocumentVersion, ThemesState, VersionState
from corpus.name_merges import merges_digest
from engines.registry import embedder

if TYPE_CHECKING:
    import uuid

# A job that has waited so long is taken for lost.
LOST_SECONDS = 600
# So long themes wait for files that are being read; then they are made of what is there.
PATIENCE = timedelta(minutes=10)


def themes_queue(workspace_id: uuid.UUID) -> None:
    """Ask a worker to make the themes anew, once this is committed; once for all that wait already."""
    transaction.on_commit(lambda: _queue(workspace_id))


def _queue(workspace_id: uuid.UUID) -> None:
    ThemesState.objects.get_or_create(workspace_id=workspace_id)
    waiting = ThemesState.objects.filter(workspace=workspace_id, queued_at=None)
    if waiting.update(queued_at=timezone.now()):
        async_task("corpus.tasks.themes_make", str(workspace_id), group="themes")


def themes_resume() -> int:
    """Queue what a killed worker or a lost job left undone. Gives how many workspaces that were."""
    found = 0
    lost = timezone.now() - timedelta(seconds=LOST_SECONDS)
    keys = set(Document.objects.filter(current__isnull=False).values_list("workspace", flat=True))
    keys |= set(ThemesState.objects.values_list("workspace", flat=True))
    for key in keys:
        state = ThemesState.objects.filter(workspace=key).first()
        waits = state is not None and state.queued_at is not None and state.queued_at >= lost
        if waits or (themes_current(key) and state is not None and state.told) or being_read(key):
            continue
        with job_turn(THEMES, key) as free:
            pass
        if free:
            ThemesState.objects.filter(workspace=key).update(queued_at=None)
            _queue(key)
            found += 1
    return found


def served(workspace_id: uuid.UUID) -> Any:
    """Passages of the current versions, for jobs that work for nobody in particular."""
    return Chunk.objects.filter(workspace=workspace_id, version=F("document__current"))


def versions_served(workspace_id: uuid.UUID) -> dict[str, str]:
    """Key of the current version, by the document's."""
    rows = Document.objects.filter(workspace=workspace_id, current__isnull=False)
    return {str(pk): str(current) for pk, current in rows.values_list("pk", "current")}


def themes_current(workspace_id: uuid.UUID) -> bool:
    """Whether the themes were made from what is served now, by the vectors in force."""
    state = ThemesState.objects.filter(workspace=workspace_id).first()
    versions = versions_served(workspace_id)
    if state is None or state.made_at is None:
        return not versions
    if versions != state.versions:
        return False
    same = state.embedder == str(embedder().identity) and state.names == merges_digest(workspace_id)
    return same or not versions


def being_read(workspace_id: uuid.UUID) -> bool:
    """Whether to wait for files that are being read: their publication will ask for the themes again."""
    busy = DocumentVersion.objects.filter(
        document__workspace=workspace_id,
        state__in=[VersionState.QUEUED, VersionState.READING],
    )
    first = busy.order_by("created_at").first()
    if first is None:
        return False
    state = ThemesState.objects.filter(workspace=workspace_id).first()
    since = (state.made_at if state is not None else None) or first.created_at
    return bool(since >= timezone.now() - PATIENCE)
