"""Locks of one workspace, held to the end of the transaction.

Always in this order: stores, then names. Reading a file takes neither until its last step.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.db import connection

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator

STORES, NAMES, REINDEX, REROUTE, THEMES = 7101, 7102, 7103, 7104, 7105
VECTOR_INDEX = 7108


def stores_lock(workspace_id: uuid.UUID) -> None:
    """One change of the stores at a time: entities and table names are shared between documents."""
    _lock(STORES, workspace_id)


def names_lock(workspace_id: uuid.UUID) -> None:
    """One change of who holds which name and which bytes at a time."""
    _lock(NAMES, workspace_id)


@contextmanager
def job_turn(kind: int, workspace_id: uuid.UUID) -> Iterator[bool]:
    """Whether this process may do the job of this kind (REINDEX, REROUTE, THEMES) in the workspace.

    The turn ends with the block, or with the process.
    """
    place = [kind, _number(workspace_id)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", place)
        row = cursor.fetchone()
    taken = bool(row and row[0])
    try:
        yield taken
    finally:
        if taken:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", place)


def _lock(kind: int, workspace_id: uuid.UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [kind, _number(workspace_id)])


def _number(workspace_id: uuid.UUID) -> int:
    """32 bits of the key. Two workspaces that share them wait for each other, no more."""
    return int.from_bytes(workspace_id.bytes[:4], signed=True)
