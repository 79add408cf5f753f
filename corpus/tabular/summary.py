"""What a table holds, said in a few words, so that it can be found by words."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.values import ParsedTable

LONGEST, VALUES, LOOKED_AT = 1500, 12, 20_000


def describe(table: ParsedTable) -> str:
    """Rows, columns, and the first values of each column of text."""
    columns = ", ".join(column.label for column in table.columns)
    parts = [f"{table.title}: {len(table.rows)} rows. Columns: {columns}."]
    texts = [index for index, column in enumerate(table.columns) if column.kind == "text"]
    values: dict[int, dict[str, None]] = {index: {} for index in texts}
    open_ = set(texts)
    for row in islice(table.rows, LOOKED_AT):
        for index in tuple(open_):
            if row[index]:
                values[index][str(row[index])] = None
                if len(values[index]) == VALUES:
                    open_.discard(index)
        if not open_:
            break
    parts += [f"{table.columns[index].label}: {', '.join(values[index])}." for index in texts]
    return " ".join(parts)[:LONGEST]
