"""PolyRAG's own PostgreSQL: the server of a wheel, started and recovered by a launcher of our own.

The wheel's own launcher never stops after a killed client and believes a stale `postmaster.pid`
(docs/decisions/0002-embedded-database.md), so only its binaries are used.
"""

from __future__ import annotations

from polyrag_site.postgres.errors import PostgresError
from polyrag_site.postgres.launcher import ServerInfo, ensure_running, is_running, stop

__all__ = ["PostgresError", "ServerInfo", "ensure_running", "is_running", "stop"]
