"""Settings of PostgreSQL's planner for a few statements."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from django.db import transaction

from corpus.replica import alias, reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from django.db.backends.utils import CursorWrapper

# pgvector defines its own settings when it is first used in a connection.
UNSET = {"hnsw.ef_search": "40", "hnsw.iterative_scan": "off"}


@contextlib.contextmanager
def planned(wanted: Mapping[str, str]) -> Iterator[None]:
    """The settings `wanted` hold inside the block, in one transaction, and are as before after it."""
    with transaction.atomic(using=alias()), reader().cursor() as cursor:
        # The settings end with the transaction; within a longer one they would outlive this block.
        longer = len(reader().savepoint_ids) > 0
        before = _put(cursor, wanted, told=longer)
        yield
        # After an error all of it is rolled back.
        if longer:
            _put(cursor, before)


def _put(cursor: CursorWrapper, wanted: Mapping[str, str], *, told: bool = False) -> dict[str, str]:
    """Set for the transaction; gives what they were before where that is asked for."""
    names, before = list(wanted), {}
    if told:
        asked = ", ".join("current_setting(%s, true)" for _ in names)
        cursor.execute(f"SELECT {asked}", names)
        held = zip(names, cursor.fetchone() or (), strict=True)
        before = {name: value or UNSET[name] for name, value in held}
    put = ", ".join("set_config(%s, %s, true)" for _ in names)
    cursor.execute(f"SELECT {put}", [part for pair in wanted.items() for part in pair])
    return before
