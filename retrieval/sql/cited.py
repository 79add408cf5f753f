"""What is cited of the tables that a statement read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.values import TableSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.sql.catalogue import Table


def sources(tables: Iterable[Table]) -> tuple[TableSource, ...]:
    """The tables beside the first, each with its document and version."""
    return tuple(
        TableSource(table.title, table.document_id, table.version_id, table.document)
        for table in tables
    )
