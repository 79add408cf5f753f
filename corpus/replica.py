"""Reading searches from a streaming replica, while it holds all that the primary had when they began.

Rights are rows too: a replica that lags could show what was just withdrawn. So nothing is read from one
that has not replayed the primary's log up to the start of the search (docs/decisions/0026-several-hosts.md).
"""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connection, connections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)
REPLICA = "replica"
# A replica that failed is left alone for so long. One that lags is given a moment to come up.
ASIDE_SECONDS = 10.0
WAITS = (0.0, 0.01, 0.03)
MARK = "SELECT pg_current_wal_insert_lsn()::text"
# Nothing is told of a server that is no replica (any more): its rows may be of another history.
CAUGHT_UP = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"

_alias: contextvars.ContextVar[str] = contextvars.ContextVar(
    "polyrag_read_from", default=DEFAULT_DB_ALIAS
)
_lock = threading.Lock()
_aside_until = 0.0


class Router:
    """Reads within `on_replica` go to the replica; everything else, and every write, to the primary."""

    def db_for_read(self, model: object, **hints: Any) -> str:
        return alias()

    def db_for_write(self, model: object, **hints: Any) -> str:
        # Otherwise a row that was read there would be saved there.
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: object, other: object, **hints: Any) -> bool:
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db != REPLICA


def alias() -> str:
    """The database that this context reads from."""
    return _alias.get()


def reader() -> BaseDatabaseWrapper:
    """The connection that this context reads by, for statements that the ORM does not write."""
    return connections[alias()]


def on_replica[T](work: Callable[[], T]) -> T:
    """What `work` gives, which only reads; read from the replica where that is set, near and up to date.

    `work` may be called twice: where the replica fails it is done again on the primary. Within an open
    transaction it stays on the primary, since no replica has what that has written.
    """
    if not _usable():
        return work()
    try:
        with _reading_from(REPLICA):
            return work()
    except (OperationalError, InterfaceError) as error:
        _set_aside(error)
    return work()


@contextmanager
def _reading_from(name: str) -> Iterator[None]:
    token = _alias.set(name)
    try:
        yield
    finally:
        _alias.reset(token)


def _usable() -> bool:
    if alias() == REPLICA or not settings.READ_REPLICA or connection.in_atomic_block:
        return False
    with _lock:
        if time.monotonic() < _aside_until:
            return False
    mark = _one(DEFAULT_DB_ALIAS, MARK)
    try:
        for seconds in WAITS:
            time.sleep(seconds)
            if _one(REPLICA, CAUGHT_UP, mark):
                return True
    except (OperationalError, InterfaceError) as error:
        _set_aside(error)
    return False


def _one(name: str, statement: str, *values: str) -> Any:
    with connections[name].cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row[0] if row else None


def _set_aside(error: Exception) -> None:
    """Ask the primary alone for a while, and a new connection after that."""
    global _aside_until
    logger.warning("The replica is left alone for %.0f s: %s", ASIDE_SECONDS, error)
    with _lock:
        _aside_until = time.monotonic() + ASIDE_SECONDS
    connections[REPLICA].close()
