"""Tables inside documents: each with a header that names its columns becomes a real table too."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus.tabular.grid import Found, table_from
from corpus.tabular.header import one_line
from corpus.tabular.source import Source
from corpus.tabular.wide import parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.values import Block, ParsedDocument, ParsedTable

# Longer names are sentences: such a grid lays out a page.
LONGEST_NAME, LONGEST_TITLE, MOST = 120, 120, 500
type Grid = tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class _Run:
    """A table with its continuations on the pages after it."""

    title: str
    grid: Grid
    page: int | None
    last_page: int | None


def tables_of(document: ParsedDocument) -> ParsedDocument:
    """The document with a table for each block that holds one. The blocks stay, as text.

    A table that goes on after a page break with the same header is one. Grids without a row of names
    stay text alone.
    """
    tables: list[ParsedTable] = []
    warnings: list[str] = []
    titles = Counter(table.title for table in document.tables)
    runs = _runs(document)
    for run in runs[:MOST]:
        titles[run.title] += 1
        number = titles[run.title]
        found = _table(run, run.title if number == 1 else f"{run.title} {number}")
        if found.table is None:
            titles[run.title] -= 1
            continue
        tables += [replace(part, page=run.page) for part in parts(found.table)]
        warnings += found.warnings
    if len(runs) > MOST:
        warnings.append(
            f"{document.title} has {len(runs)} tables; those after the first {MOST} are text only."
        )
    return replace(
        document,
        tables=(*document.tables, *tables),
        warnings=(*document.warnings, *warnings),
    )


def _table(run: _Run, title: str) -> Found:
    found = table_from(Source(title, lambda: run.grid))
    table = found.table
    if table is None or table.reading["header_row"] == "0":
        return Found(None, ())
    names = [label for label in table.columns if not label.sql_name.startswith("column_")]
    lengths = [len(column.label) for column in table.columns]
    if len(table.columns) < 2 or len(names) * 2 < len(table.columns) or max(lengths) > LONGEST_NAME:
        return Found(None, ())
    return found


def _runs(document: ParsedDocument) -> list[_Run]:
    blocks = [block for block in document.blocks if block.kind != "furniture"]
    runs: list[_Run] = []
    heading = ""
    touching = False
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            heading = block.text
        if block.kind != "table" or not _is_grid(block.grid):
            touching = touching and block.kind == "caption"
            continue
        if touching and _goes_on(runs[-1], block):
            runs[-1].grid += block.grid[1:]
            runs[-1].last_page = block.page
        else:
            title = one_line(_caption(blocks, place) or heading or document.title)
            runs.append(_Run(title[:LONGEST_TITLE], block.grid, block.page, block.page))
        touching = True
    return runs


def _is_grid(grid: Grid) -> bool:
    return len(grid) > 1 and len(grid[0]) > 1 and len({len(row) for row in grid}) == 1


def _goes_on(run: _Run, block: Block) -> bool:
    if run.grid[0] != block.grid[0]:
        return False
    return run.last_page is not None and block.page == run.last_page + 1


def _caption(blocks: Sequence[Block], place: int) -> str:
    """The caption right above the table, else the one right below it."""
    for at in (place - 1, place + 1):
        if 0 <= at < len(blocks) and blocks[at].kind == "caption":
            return blocks[at].text
    return ""
