"""Reading a version: parse → chunk → route → store. Idempotent, leased, resumed after kill -9."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.chunking import chunk
from corpus.errors import UnreadableFile
from corpus.models import Chunk, DocumentVersion, VersionState
from corpus.parsing import parse_file
from corpus.publication import version_publish
from corpus.services import changed, version_queue
from engines.errors import EngineError
from engines.registry import embedder
from routing.services import chunks_route, decision_as_json
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    from corpus.values import ChunkDraft

logger = logging.getLogger(__name__)
BATCH = 8
Report = Callable[[DocumentVersion], None]


def version_read(version_id: str, *, report: Report | None = None) -> str:
    """Read one version to its end. Gives its state; "leased" when another worker has it.

    Every batch of passages is committed, so that a worker killed at any point costs one batch. A
    file that cannot be read ends as failed with its reason; an engine that is down is raised, and
    the version is taken up again when its lease runs out.
    """
    holder = uuid.uuid4().hex
    version = _lease(version_id, holder)
    if version is None:
        return "leased"
    with _heartbeat(version, holder), span(SpanName.INGEST, document=version.document.name):
        try:
            _read(version, report or _silent)
        except UnreadableFile as error:
            _fail(version, holder, str(error))
        except EngineError as error:
            _fail(version, holder, _("%(error)s Then press “Try again”.") % {"error": error})
            raise
    version.refresh_from_db()
    changed(version.document)
    return version.state


def stuck_requeue() -> int:
    """Queue again what nobody is reading: expired leases, and versions whose job got lost."""
    now = timezone.now()
    lost = now - timedelta(seconds=settings.INGEST_LEASE_SECONDS)
    stuck = DocumentVersion.objects.filter(
        Q(state=VersionState.READING, lease_until__lt=now)
        | Q(state=VersionState.QUEUED, lease_until=None, created_at__lt=lost)
    ).select_related("document")
    for version in stuck:
        with transaction.atomic():
            version_queue(version=version)
    return len(stuck)


def _silent(version: DocumentVersion) -> None:
    """Nobody watches."""


def _lease(version_id: str, holder: str) -> DocumentVersion | None:
    """Take the version if nobody holds it. One conditional statement, so that two cannot."""
    now = timezone.now()
    taken = (
        DocumentVersion.objects.filter(pk=version_id)
        .filter(Q(lease_until=None) | Q(lease_until__lt=now))
        .filter(state__in=[VersionState.QUEUED, VersionState.READING])
        .update(
            lease_holder=holder,
            lease_until=now + timedelta(seconds=settings.INGEST_LEASE_SECONDS),
            state=VersionState.READING,
            step="parse",
            error="",
        )
    )
    if not taken:
        return None
    version: DocumentVersion = DocumentVersion.objects.select_related("document__workspace").get(
        pk=version_id
    )
    return version


@contextmanager
def _heartbeat(version: DocumentVersion, holder: str) -> Iterator[None]:
    """Renew the lease from a thread while the block runs; give it back at the end."""
    done = threading.Event()
    seconds = settings.INGEST_LEASE_SECONDS

    def renew() -> None:
        try:
            while not done.wait(seconds / 4):
                until = timezone.now() + timedelta(seconds=seconds)
                DocumentVersion.objects.filter(pk=version.pk, lease_holder=holder).update(
                    lease_until=until
                )
        finally:
            connection.close()

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        DocumentVersion.objects.filter(pk=version.pk, lease_holder=holder).update(
            lease_until=None, lease_holder=""
        )


def _read(version: DocumentVersion, report: Report) -> None:
    changed(version.document)
    with span(SpanName.PARSE):
        parsed = parse_file(
            Path(version.file.path),
            kind=version.kind,
            name=version.document.name,
            options=version.options,
        )
    with span(SpanName.CHUNK):
        drafts = chunk(parsed)
    if not drafts:
        raise UnreadableFile(_("No text was found in %(name)s.") % {"name": version.document.name})
    _store_chunks(version, drafts, report)
    with span(SpanName.STORE):
        version_publish(version=version, parsed=parsed)
    logger.info("read %s: %d passages", version.document.name, len(drafts))


def _store_chunks(version: DocumentVersion, drafts: tuple[ChunkDraft, ...], report: Report) -> None:
    """Embed, route and commit the passages in batches, leaving out those that stand already."""
    identity = str(embedder().identity)
    held = Chunk.objects.filter(version=version)
    standing = {
        position: text
        for position, text, made_by in held.values_list("position", "text", "embedder")
        if made_by == identity
    }
    missing = [draft for draft in drafts if standing.get(draft.position) != draft.text]
    held.exclude(position__in={d.position for d in drafts} - {d.position for d in missing}).delete()
    _progress(version, "embed", len(drafts) - len(missing), len(drafts), report)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        texts = [passage_text(draft.heading_path, draft.text) for draft in batch]
        with span(SpanName.EMBED_PASSAGES, count=len(batch)):
            vectors = embedder().passages(texts)
        with span(SpanName.ROUTE_CHUNKS):
            decisions = chunks_route(
                workspace=version.document.workspace,
                texts=[draft.text for draft in batch],
                vectors=vectors,
            )
        Chunk.objects.bulk_create(
            Chunk(
                workspace=version.document.workspace,
                document=version.document,
                version=version,
                position=draft.position,
                heading_path=" › ".join(draft.heading_path)[:600],
                text=draft.text,
                block=draft.block,
                page=draft.page,
                places=[
                    [page, place.left, place.top, place.right, place.bottom]
                    for page, place in draft.places
                ],
                language=draft.language,
                route=decision.route,
                decision=decision_as_json(decision),
                embedding=vector,
                embedder=identity,
            )
            for draft, decision, vector in zip(batch, decisions, vectors, strict=True)
        )
        _progress(
            version, "embed", len(drafts) - len(missing) + start + len(batch), len(drafts), report
        )


def passage_text(heading_path: tuple[str, ...], text: str) -> str:
    """What is embedded: the title and the headings say what the passage is about."""
    return f"{' › '.join(heading_path)}\n{text}"


def _progress(version: DocumentVersion, step: str, done: int, total: int, report: Report) -> None:
    version.step, version.done, version.total = step, done, total
    version.save(update_fields=["step", "done", "total"])
    changed(version.document)
    report(version)


def _fail(version: DocumentVersion, holder: str, reason: str) -> None:
    """End as failed with the reason. An older version that is being served stays in service.

    Nothing is written by a worker whose lease went to another while it was away.
    """
    DocumentVersion.objects.filter(pk=version.pk, lease_holder=holder).update(
        state=VersionState.FAILED, error=reason, finished_at=timezone.now()
    )
