"""HNSW indexes for large sets of vectors: one for each workspace, language and embedder.

Each is partial, so that a search in one workspace walks over no other's passages and no filter on the
workspace thins out what the index gives (docs/decisions/0011-vector-index.md). Small sets are scanned.
"""

from __future__ import annotations

import hashlib
import logging
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import OperationalError, connection
from django.db.models import Count, F
from django_q.tasks import async_task
from psycopg import sql

from corpus.locks import VECTOR_INDEX, job_turn
from corpus.models import Chunk
from engines.errors import EngineError
from engines.registry import embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from teams.models import Workspace

logger = logging.getLogger(__name__)
# From so many passages of one language on the index is quicker than a scan; below half it goes again.
LEAST = 4_000
PREFIX = "chunk_near_"
# What pgvector indexes in full precision.
WIDEST = 2_000
M, EF_CONSTRUCTION = 16, 64
MEGABYTE = 1 << 20
MEMORY_LEAST, MEMORY_MOST = 64, 2_048
# One build at a time, whatever the workspace: PostgreSQL lets them wait for each other anyway.
EVERY = uuid.UUID(int=0)


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The passages of one workspace in one language with vectors of one embedder."""

    workspace_id: uuid.UUID
    language: str
    embedder: str
    dimension: int
    count: int

    @property
    def index(self) -> str:
        return index_name(self.workspace_id, self.embedder, self.language)


def index_name(workspace_id: uuid.UUID, identity: str, language: str) -> str:
    told = hashlib.sha256(f"{identity} {language}".encode()).hexdigest()[:12]
    return f"{_prefix(workspace_id)}{told}"


def indexed(workspace_id: uuid.UUID, identity: str, languages: Iterable[str]) -> frozenset[str]:
    """Those of `languages` whose vectors of this embedder have a whole index in the workspace."""
    whole = {name for name, valid in _present(_prefix(workspace_id)).items() if valid}
    return frozenset(
        language for language in languages if index_name(workspace_id, identity, language) in whole
    )


def sets_counted(least: int) -> list[VectorSet]:
    """The sets of at least `least` served passages with vectors of the embedder in force.

    Raises EngineError when the embedder does not answer.
    """
    identity = embedder().identity
    if identity.dimension > WIDEST:
        return []
    rows = (
        Chunk.objects.filter(embedder=str(identity), version=F("document__current"))
        .order_by()
        .values_list("workspace", "language")
        .annotate(count=Count("pk"))
        .filter(count__gte=least)
    )
    return [VectorSet(key, said, str(identity), identity.dimension, n) for key, said, n in rows]


def indexes_queue() -> int:
    """Ask a worker to settle the indexes where they are not as they should be. Gives 1 or 0."""
    present = _present(PREFIX)
    if not present and _roughly() < LEAST:
        return 0
    try:
        missing, idle = _differences(present)
    except EngineError as error:
        logger.warning("The vector indexes were not looked at: %s", error)
        return 0
    if not missing and not idle:
        return 0
    with job_turn(VECTOR_INDEX, EVERY) as free:
        pass
    if free:
        async_task("corpus.tasks.vector_indexes", group="vector_index")
    return int(free)


def indexes_settle(
    *, workspace: Workspace | None = None, report: Callable[[str], None] = logger.info
) -> bool:
    """Make the indexes that are missing and drop those that nothing needs. False when another is at it.

    With a `workspace` only its own are made and dropped. Outside any transaction. Searches go on
    meanwhile; what a killed build leaves is dropped and made anew. Raises EngineError when the embedder
    does not answer.
    """
    with job_turn(VECTOR_INDEX, EVERY) as mine:
        if not mine:
            return False
        prefix = PREFIX if workspace is None else _prefix(workspace.pk)
        missing, idle = _differences(_present(prefix))
        for name in idle:
            report(f"drop {name}")
            _drop(name)
        for wanted in missing:
            if workspace is None or wanted.workspace_id == workspace.pk:
                report(f"make {wanted.index}: {wanted.count} passages, {wanted.language}")
                _make(wanted)
    return True


def _differences(present: dict[str, bool]) -> tuple[list[VectorSet], list[str]]:
    """The sets whose index is to be made, and the names of the indexes that are to go first."""
    sets = {found.index: found for found in sets_counted(LEAST // 2)}
    missing = [
        found
        for name, found in sets.items()
        if not present.get(name, False) and found.count >= LEAST
    ]
    return missing, [name for name, valid in present.items() if not valid or name not in sets]


def _make(wanted: VectorSet) -> None:
    """One HNSW index. Without enough shared memory for helpers the build goes on without them."""
    statement = sql.SQL(
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON corpus_chunk USING hnsw"
        " ((embedding::vector({dimension})) vector_cosine_ops)"
        " WITH (m = {m}, ef_construction = {construction})"
        " WHERE workspace_id = {workspace} AND embedder = {embedder} AND language = {language}"
    ).format(
        name=sql.Identifier(wanted.index),
        dimension=sql.Literal(wanted.dimension),
        m=sql.Literal(M),
        construction=sql.Literal(EF_CONSTRUCTION),
        workspace=sql.Literal(str(wanted.workspace_id)),
        embedder=sql.Literal(wanted.embedder),
        language=sql.Literal(wanted.language),
    )
    # The graph is built in memory where it fits: the vectors with some 700 bytes of links for each.
    needed = wanted.count * (4 * wanted.dimension + 700) // MEGABYTE
    memory = min(MEMORY_MOST, max(MEMORY_LEAST, needed))
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [f"{memory}MB"])
        try:
            cursor.execute(statement)
        except OperationalError:
            logger.warning("no helpers for the build of %s", wanted.index, exc_info=True)
            _drop(wanted.index)
            cursor.execute("SET max_parallel_maintenance_workers = 0")
            cursor.execute(statement)
        finally:
            cursor.execute("RESET maintenance_work_mem")
            cursor.execute("RESET max_parallel_maintenance_workers")


def _drop(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))


def _present(prefix: str) -> dict[str, bool]:
    """The indexes whose names begin so, each with whether it is whole."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid"
            " WHERE indrelid = 'corpus_chunk'::regclass AND starts_with(relname, %s)",
            [prefix],
        )
        return dict(cursor.fetchall())


def _roughly() -> float:
    """How many passages there are, by the last ANALYZE; all of them when there was none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'corpus_chunk'::regclass")
        row = cursor.fetchone()
    return float(row[0]) if row and row[0] >= 0 else float(LEAST)


def _prefix(workspace_id: uuid.UUID) -> str:
    return f"{PREFIX}{workspace_id.hex}_"
