"""A table found on a page, and its cells brought into rows of equal width."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.parsing.layout.boxes import rows
from corpus.parsing.layout.running import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpus.parsing.layout.boxes import Box
    from corpus.parsing.lines import Line

Grid = tuple[tuple[str, ...], ...]
NUMBER = re.compile(
    r"^[\s(+\-–−~<>≤≥±]*[$€£¥]?\s?\d[\d\s.,:/%–-]*[)*†‡%€]?\s?[a-zA-Z%€µ°]{0,3}\d?$"
)
LEADERS = re.compile(r"(?:\s?[.…_·]){3,}\s*")


@dataclass(frozen=True, slots=True)
class Table:
    """Where it stands, its cells, and the lines that it holds (no longer to be read as text)."""

    left: float
    top: float
    right: float
    bottom: float
    grid: Grid
    lines: tuple[Line, ...]


def table_at(box: Box, grid: Grid, lines: Iterable[Line]) -> Table:
    return Table(box.left, box.top, box.right, box.bottom, grid, tuple(lines))


def cell_text(lines: Sequence[Line]) -> str:
    """The text of one cell, its rows joined."""
    text = joined([" ".join(line.text for line in row) for row in rows(lines)])
    return LEADERS.sub(" ", text).strip()


def numeric(text: str) -> bool:
    """Whether a cell holds a figure, a share, an amount or a date in figures."""
    return NUMBER.match(text) is not None


def trimmed(grid: Iterable[Sequence[str]]) -> Grid:
    """The grid without rows and columns that hold nothing."""
    held = [list(row) for row in grid if any(row)]
    kept = [at for at in range(len(held[0]) if held else 0) if any(row[at] for row in held)]
    return tuple(tuple(row[at] for at in kept) for row in held)
