"""Settings of PostgreSQL's planner for a few statements."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from django.db import connection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# pgvector defines its own settings when it is first used in a connection.
UNSET = {"hnsw.ef_search": "40", "hnsw.iterative_scan": "off"}


@contextlib.contextmanager
def planned(wanted: Mapping[str, str]) -> Iterator[None]:
    """The settings `wanted` hold inside the block, in one transaction, and are as before after it."""
    names = list(wanted)
    asked = ", ".join("current_setting(%s, true)" for _ in names)
    put = "SELECT " + ", ".join("set_config(%s, %s, true)" for _ in names)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT {asked}", names)
        before = dict(zip(names, cursor.fetchone(), strict=True))
        cursor.execute(put, [part for pair in wanted.items() for part in pair])
        yield
        # Within a longer transaction they would outlive this block. After an error it is rolled back.
        back = {name: before[name] or UNSET[name] for name in names}
        cursor.execute(put, [part for pair in back.items() for part in pair])
