"""Entry points of the worker. They call services and hold no logic."""

from __future__ import annotations

from corpus import ingest


def version_read(version_id: str) -> str:
    return ingest.version_read(version_id)


def stuck_requeue() -> int:
    return ingest.stuck_requeue()
