"""Cells to a table block, in one way for every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.values import Block, Place

if TYPE_CHECKING:
    from collections.abc import Sequence


# Marks for where a word may be broken, and for nothing at all: they would part a word from its search.
UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\ufeff"))


def tidy(text: str) -> str:
    """White space of any kind as single spaces, marks without a sign left out."""
    return " ".join(text.translate(UNSEEN).split())


def table_block(
    rows: Sequence[Sequence[str]], page: int | None = None, place: Place | None = None
) -> Block:
    """A block of kind table: rows of equal width, white space in cells as one space, and its text.

    Rows and columns without any text are left out.
    """
    width = max((len(row) for row in rows), default=0)
    clean = [
        [tidy(cell) for cell in row] + [""] * (width - len(row))
        for row in rows
        if any(cell.strip() for cell in row)
    ]
    kept = [column for column in range(width) if any(row[column] for row in clean)]
    grid = tuple(tuple(row[column] for column in kept) for row in clean)
    return Block("table", "\n".join(" | ".join(row) for row in grid), page, 0, place, grid)
