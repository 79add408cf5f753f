"""Entry points of the worker. They call services and hold no logic."""

from __future__ import annotations

import uuid

from corpus import (
    communities,
    files,
    ingest,
    recovery,
    rerouting,
    services,
    sources,
    theme_jobs,
    vector_index,
)
from corpus import reindex as reindexing


def version_read(version_id: str) -> str:
    return ingest.version_read(version_id)


def stuck_requeue() -> int:
    found = recovery.stuck_requeue() + reindexing.reindex_resume() + rerouting.reroute_resume()
    return found + theme_jobs.themes_resume()


def reindex(workspace_id: str) -> bool:
    return reindexing.reindex(uuid.UUID(workspace_id))


def reroute(reroute_id: int) -> str:
    return rerouting.reroute_run(reroute_id)


def source_read(source_id: str, user_id: int) -> str:
    return sources.source_read(uuid.UUID(source_id), user_id)


def vector_indexes() -> bool:
    return vector_index.indexes_settle()


def themes_make(workspace_id: str) -> bool:
    return communities.themes_make(uuid.UUID(workspace_id))


def leftovers_clear() -> int:
    """What has lain in the trash long enough, and files that no version owns; stale indexes too."""
    return services.trash_empty() + files.files_sweep() + vector_index.indexes_queue()
