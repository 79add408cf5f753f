from __future__ import annotations


class PostgresError(Exception):
    """The embedded PostgreSQL cannot run. The message says why and what to do."""
