"""Reading a version: parse → chunk → route → store. Idempotent, leased, resumed after kill -9."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.chunking import chunk
from corpus.errors import ReadingStopped, UnreadableFile
from corpus.jobs import changed
from corpus.lease import LeaseLost, lease_kept, lease_take
from corpus.models import Chunk, DocumentVersion, VersionState
from corpus.parsing import parse_file
from corpus.publication import version_publish
from corpus.recovery import stuck_requeue
from engines.errors import EngineError
from engines.registry import count_tokens, document_passages, embedder
from engines.rows import rows_refresh
from routing.services import chunks_route, decision_as_json
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from corpus.lease import Lease
    from corpus.values import ChunkDraft

__all__ = ["passage_text", "stuck_requeue", "version_read"]

logger = logging.getLogger(__name__)
BATCH = 8
Report = Callable[[DocumentVersion], None]


def version_read(version_id: str, *, report: Report | None = None) -> str:
    """Read one version to its end. Gives its state; "leased" when another worker has it, "gone" when it
    was deleted meanwhile.

    Every batch of passages is committed, so that a worker killed at any point costs one batch. A
    file that cannot be read ends as failed with its reason; an engine that is down is raised, and
    a person can try again. Who cancels, trashes or deletes takes the lease away: nothing more is written.
    """
    rows_refresh()
    lease = lease_take(version_id)
    if lease is None:
        return "leased"
    document = lease.version.document
    with lease_kept(lease), span(SpanName.INGEST, document=document.name):
        try:
            _read(lease, report or _silent)
        except (LeaseLost, ReadingStopped):
            logger.info("stopped reading %s", document.name)
        except UnreadableFile as error:
            # Who took the lease away has settled the version already: then no row is touched.
            _fail(lease, str(error))
        except EngineError as error:
            _fail(lease, _("%(error)s Then press “Try again”.") % {"error": error})
            raise
    changed(document)
    states = DocumentVersion.objects.filter(pk=version_id).values_list("state", flat=True)
    return states.first() or "gone"


def _silent(version: DocumentVersion) -> None:
    """Nobody watches."""


def _read(lease: Lease, report: Report) -> None:
    version = lease.version
    _progress(lease, "parse", 0, 0, report)
    with span(SpanName.PARSE):
        parsed = parse_file(
            Path(version.file.path),
            kind=version.kind,
            name=version.document.name,
            options=version.options,
            stop=lease.lost.is_set,
        )
    with span(SpanName.CHUNK):
        drafts = tuple(_storable(draft) for draft in chunk(parsed, count_tokens))
    if not drafts:
        raise UnreadableFile(_("No text was found in %(name)s.") % {"name": version.document.name})
    _store_chunks(lease, drafts, report)
    _progress(lease, "store", len(drafts), len(drafts), report)
    with span(SpanName.STORE):
        version_publish(lease=lease, parsed=parsed)
    logger.info("read %s: %d passages", version.document.name, len(drafts))


def _store_chunks(lease: Lease, drafts: tuple[ChunkDraft, ...], report: Report) -> None:
    """Embed, route and commit the passages in batches, leaving out those that stand already."""
    version, identity = lease.version, str(embedder().identity)
    held = Chunk.objects.filter(version=version, embedder=identity)
    fields = ("position", "heading_path", "text", "block", "page", "language", "places")
    standing = {row[0]: row for row in held.values_list(*fields)}
    missing = [draft for draft in drafts if standing.get(draft.position) != _key(draft)]
    kept = {draft.position for draft in drafts} - {draft.position for draft in missing}
    with lease.commit():
        Chunk.objects.filter(version=version).exclude(position__in=kept, embedder=identity).delete()
    _progress(lease, "embed", len(kept), len(drafts), report)
    texts = [passage_text(draft.heading_path, draft.text) for draft in drafts]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        with span(SpanName.EMBED_PASSAGES, count=len(batch)):
            vectors = document_passages(texts, [draft.position for draft in batch])
        done = len(kept) + start + len(batch)
        with lease.commit():
            Chunk.objects.bulk_create(_rows(version, batch, vectors, identity))
            # A reading that gets on is no reading that breaks down each time.
            lease.rows().update(step="embed", done=done, total=len(drafts), attempts=1)
        _progress(lease, "embed", done, len(drafts), report)


def _rows(
    version: DocumentVersion, batch: list[ChunkDraft], vectors: NDArray[np.float32], identity: str
) -> list[Chunk]:
    workspace = version.document.workspace
    with span(SpanName.ROUTE_CHUNKS):
        decisions = chunks_route(
            workspace=workspace, texts=[draft.text for draft in batch], vectors=vectors
        )
    return [
        Chunk(
            workspace=workspace,
            document=version.document,
            version=version,
            position=draft.position,
            heading_path=_heading(draft),
            text=draft.text,
            block=draft.block,
            page=draft.page,
            places=_places(draft),
            language=draft.language,
            route=decision.route,
            decision=decision_as_json(decision),
            embedding=vector,
            embedder=identity,
        )
        for draft, decision, vector in zip(batch, decisions, vectors, strict=True)
    ]


def _key(draft: ChunkDraft) -> tuple[object, ...]:
    """By what a stored passage is told to be this one still."""
    return (
        draft.position,
        _heading(draft),
        draft.text,
        draft.block,
        draft.page,
        draft.language,
        _places(draft),
    )


def _places(draft: ChunkDraft) -> list[list[float]]:
    return [
        [page, place.left, place.top, place.right, place.bottom] for page, place in draft.places
    ]


def _heading(draft: ChunkDraft) -> str:
    return " › ".join(draft.heading_path)[:600]


def _storable(draft: ChunkDraft) -> ChunkDraft:
    """The database takes neither a NUL nor a lone surrogate."""
    return replace(
        draft, text=_plain(draft.text), heading_path=tuple(map(_plain, draft.heading_path))
    )


def _plain(text: str) -> str:
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def passage_text(heading_path: tuple[str, ...], text: str) -> str:
    """What is embedded: the title and the headings say what the passage is about."""
    return f"{' › '.join(heading_path)}\n{text}"


def _progress(lease: Lease, step: str, done: int, total: int, report: Report) -> None:
    """Say how far the committed work goes. Raises LeaseLost when the lease is gone."""
    version = lease.version
    version.step, version.done, version.total = step, done, total
    if not lease.rows().update(step=step, done=done, total=total):
        raise LeaseLost
    changed(version.document)
    report(version)


def _fail(lease: Lease, reason: str) -> None:
    """End as failed with the reason. An older version that is being served stays in service."""
    lease.rows().update(
        state=VersionState.FAILED,
        error=reason,
        finished_at=timezone.now(),
        lease_holder="",
        lease_until=None,
    )
