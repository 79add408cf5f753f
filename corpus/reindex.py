"""The stored vectors belong to one embedder. When another is in force, they are made anew, as a job.

Until every passage has its new vector the index stays as it was; then one transaction swaps them all.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone
from django_q.tasks import async_task

from corpus.ingest import passage_text
from corpus.jobs import progressed
from corpus.locks import REINDEX, job_turn, stores_lock
from corpus.models import Chunk, DocumentVersion, Entity
from corpus.selectors import chunks_live
from corpus.theme_jobs import themes_queue
from engines.errors import EngineError
from engines.registry import document_passages, embedder
from teams.models import Workspace
from telemetry.live import corpus_group, publish

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User

    Report = Callable[[int, int], None]

logger = logging.getLogger(__name__)
BATCH = 16


@dataclass(frozen=True, slots=True)
class IndexState:
    """By which embedders the served passages of a workspace are found.

    `identity` is the embedder in force, empty when it does not answer; `counts` how many passages have
    a vector of each; `prepared` of those with another have their new vector already, which waits for
    the rest.
    """

    identity: str
    counts: dict[str, int] = field(default_factory=dict)
    prepared: int = 0

    @property
    def stale(self) -> int:
        """Passages that are found by their words alone, since their vectors are of another embedder."""
        if not self.identity:
            return 0
        return sum(count for name, count in self.counts.items() if name != self.identity)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def percent(self) -> int:
        return 100 * self.prepared // self.stale if self.stale else 100


def index_state(
    workspace: Workspace, user: User | None = None, *, stale: bool = False
) -> IndexState:
    """The state of the index; with `user` as far as they may read, without for the operator.

    With `stale` only passages of other embedders are counted: mostly none, which the index tells at once.
    """
    try:
        identity = str(embedder().identity)
    except EngineError:
        identity = ""
    prepared = Q(next_embedder=identity) & ~Q(embedder=identity)
    served = _served(workspace.pk) if user is None else chunks_live(workspace, user)
    if stale:
        # Two ranges, since no index finds what is unequal.
        served = served.filter(Q(embedder__lt=identity) | Q(embedder__gt=identity))
    rows = (
        served.order_by("embedder")
        .values_list("embedder")
        .annotate(all=Count("pk"), new=Count("pk", filter=prepared))
    )
    found = list(rows)
    return IndexState(identity, {row[0]: row[1] for row in found}, sum(row[2] for row in found))


def reindex_queue(workspace: Workspace) -> None:
    """Ask a worker to bring the whole workspace to the embedder in force, once this is committed."""
    key = str(workspace.pk)
    transaction.on_commit(lambda: async_task("corpus.tasks.reindex", key, group="reindex"))


def reindex(workspace_id: uuid.UUID, *, report: Report | None = None) -> bool:
    """Bring the workspace to the embedder in force. Gives False when another process is at it.

    New vectors are committed in batches beside the old ones, so that a killed job goes on where it
    stopped. Raises EngineError when the embedder cannot be used.
    """
    with job_turn(REINDEX, workspace_id) as mine:
        if not mine:
            return False
        while True:
            _prepare(workspace_id, report)
            names = _name_vectors(workspace_id)
            if _swap(workspace_id, names):
                logger.info("re-indexed workspace %s", workspace_id)
                return True


def reindex_resume() -> int:
    """Queue again what a killed job left half done. Gives how many workspaces that were."""
    begun = Chunk.objects.filter(next_embedder=str(embedder().identity))
    keys = begun.order_by().values_list("workspace", flat=True).distinct()
    found = 0
    for workspace in Workspace.objects.filter(pk__in=keys):
        with job_turn(REINDEX, workspace.pk) as free:
            pass
        if free:
            reindex_queue(workspace)
            found += 1
    return found


def _served(workspace_id: uuid.UUID) -> Any:
    return Chunk.objects.filter(workspace=workspace_id, version=F("document__current"))


def _prepare(workspace_id: uuid.UUID, report: Report | None) -> None:
    """Give every served passage a vector of the embedder in force, beside the one it has."""
    identity = str(embedder().identity)
    stale = _served(workspace_id).exclude(embedder=identity)
    total = stale.count()
    left = stale.exclude(next_embedder=identity).order_by("document__created_at", "position")
    while (first := left.first()) is not None:
        for _ in _document_prepare(first.version_id, identity):
            progressed(first.document_id)
            if report is not None:
                report(stale.filter(next_embedder=identity).count(), total)


def _document_prepare(version_id: uuid.UUID, identity: str) -> Iterator[None]:
    """Embed a document's passages in order, as its reading does; gives the turn after each batch."""
    kept = ("heading_path", "text", "embedder", "next_embedder")
    rows = list(Chunk.objects.filter(version=version_id).order_by("position").only(*kept))
    texts = [passage_text((row.heading_path,), row.text) for row in rows]
    left = [i for i, row in enumerate(rows) if identity not in (row.embedder, row.next_embedder)]
    for start in range(0, len(left), BATCH):
        places = left[start : start + BATCH]
        batch = [rows[place] for place in places]
        for row, vector in zip(batch, document_passages(texts, places), strict=True):
            row.next_embedding, row.next_embedder = vector, identity
        Chunk.objects.bulk_update(batch, ["next_embedding", "next_embedder"])
        yield


def _name_vectors(workspace_id: uuid.UUID) -> dict[int, NDArray[np.float32]]:
    """New vectors of the names in the graph, by the entities' keys."""
    stale = _named(workspace_id)
    vectors = embedder().queries([row.name for row in stale])
    return {row.pk: vector for row, vector in zip(stale, vectors, strict=True)}


def _named(workspace_id: uuid.UUID) -> list[Entity]:
    held = Entity.objects.filter(workspace=workspace_id, embedding__isnull=False)
    return list(held.exclude(embedder=str(embedder().identity)))


def _swap(workspace_id: uuid.UUID, names: dict[int, NDArray[np.float32]]) -> bool:
    """Put the new vectors in force, all at once; nothing and False when more has come in meanwhile."""
    identity = str(embedder().identity)
    with transaction.atomic():
        stores_lock(workspace_id)
        stale = _served(workspace_id).exclude(embedder=identity)
        entities = _named(workspace_id)
        unready = stale.exclude(next_embedder=identity).exists()
        if unready or any(row.pk not in names for row in entities):
            return False
        stale.update(embedding=F("next_embedding"), embedder=identity)
        for row in entities:
            row.embedding, row.embedder = names[row.pk], identity
        Entity.objects.bulk_update(entities, ["embedding", "embedder"], batch_size=500)
        Chunk.objects.filter(workspace=workspace_id).exclude(next_embedder="").update(
            next_embedding=None, next_embedder=""
        )
        # Graphs and answers that other processes keep are told apart by this time.
        DocumentVersion.objects.filter(
            document__workspace=workspace_id, document__current=F("pk")
        ).update(finished_at=timezone.now())
        publish(corpus_group(workspace_id), {"type": "corpus.changed", "document": ""})
        themes_queue(workspace_id)
    return True
