"""Tables of more columns than one stored row can hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.tabular.rows import keep

if TYPE_CHECKING:
    from corpus.values import ParsedTable

# A page of PostgreSQL holds a row of about 450 values that were moved out of it.
MOST = 400


def parts(table: ParsedTable) -> list[ParsedTable]:
    """The table, or its columns in several tables that all begin with its first column."""
    width = len(table.columns)
    if width <= MOST:
        return [table]
    found: list[ParsedTable] = []
    for start in range(1, width, MOST - 1):
        places = (0, *range(start, min(start + MOST - 1, width)))
        part = replace(
            table,
            title=f"{table.title} {len(found) + 1}",
            columns=tuple(table.columns[place] for place in places),
            rows=keep(tuple(row[place] for place in places) for row in table.rows),
            raw=keep(tuple(row[place] for place in places) for row in table.raw),
        )
        found.append(part)
    return found
