"""Where on a sheet tables stand: blocks of filled cells, parted at blank rows and columns. Pure.

A row of a sheet is a whole number whose bits say which of its cells are filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.tabular.cells import Cell, marks, text_of
from corpus.tabular.header import has_names, is_figure, one_line
from engines.language import fold

# Blank rows that may stand within a table or between its title and it; lines as long as this are prose.
GAP, LONG, LOOKED_AT = 3, 100, 40
# Rows of names, and blank rows below them.
NAMES, NEAR = 3, 2
# Blank columns that only leave room between names and figures.
SPACER = 2
type Rows = Callable[[Region, int], list[list[Cell]]]


@dataclass(frozen=True, slots=True)
class Region:
    """Rows and columns from 0, both ends included. `title` is the line that stands above its table."""

    top: int
    left: int
    bottom: int
    right: int
    title: str = ""

    @property
    def width(self) -> int:
        return self.right - self.left + 1

    @property
    def height(self) -> int:
        return self.bottom - self.top + 1

    def spans(self, other: Region) -> bool:
        """Whether the other stands within the same columns."""
        return self.left <= other.left and other.right <= self.right


def regions(masks: Sequence[int], rows: Rows) -> tuple[list[Region], list[Region]]:
    """The tables of a sheet and the pieces of text beside them, each in reading order.

    `rows` gives the first rows of a region, up to a number.
    """
    cut = _cut(masks, Region(0, 0, len(masks) - 1, -1), rows)
    pieces = sorted(cut, key=lambda piece: (piece.top, piece.left))
    tables: list[Region] = []
    texts: list[Region] = []
    for piece in pieces:
        head = rows(piece, LOOKED_AT)
        if not _is_table(piece, head, alone=len(pieces) == 1):
            texts.append(piece)
            continue
        titles = [text for text in texts if _above(text, piece, tables)]
        before = _goes_on(piece, head, tables)
        if before is not None and not titles:
            tables[before] = replace(tables[before], bottom=piece.bottom)
        elif piece.height == 1 and len(pieces) > 1:
            texts.append(piece)
        else:
            texts = [text for text in texts if text not in titles]
            tables.append(_titled(piece, titles, rows))
    return tables, texts


def _titled(piece: Region, titles: Sequence[Region], rows: Rows) -> Region:
    if not titles:
        return piece
    first = rows(titles[0], 1)[0]
    title = one_line(" ".join(map(text_of, first)))
    return replace(piece, top=titles[0].top, title=title)


def _above(text: Region, piece: Region, tables: Sequence[Region]) -> bool:
    """Whether a piece of text is a title of the table: right above it, in its columns."""
    under = max((t.bottom for t in tables if t.spans(text) or text.spans(t)), default=-1)
    return (
        under < text.top
        and text.bottom < piece.top <= text.bottom + 1 + GAP * 2
        and piece.spans(text)
    )


def _goes_on(piece: Region, head: Sequence[Sequence[Cell]], tables: Sequence[Region]) -> int | None:
    """The table that goes on in this piece after blank rows, if it names no columns of its own."""
    for place in range(len(tables) - 1, -1, -1):
        table = tables[place]
        if not table.spans(piece) and not piece.spans(table):
            continue
        near = piece.top - table.bottom <= GAP + 1
        same = table.spans(piece) and piece.left == table.left
        return place if near and same and not has_names(head[0], head[1:]) else None
    return None


def _is_table(piece: Region, head: Sequence[Sequence[Cell]], *, alone: bool) -> bool:
    """Whether a piece has rows of several cells, or is a list that stands alone on its sheet."""
    if piece.width > 1:
        return any(sum(bool(text_of(cell)) for cell in row) > 1 for row in head)
    return alone and piece.height > 1 and all(len(text_of(row[0])) <= LONG for row in head)


def _cut(masks: Sequence[int], within: Region, rows: Rows) -> Iterator[Region]:
    """Blocks parted at blank rows, each at blank columns, and so on until nothing parts them."""
    columns = -1 if within.right < 0 else ((1 << within.width) - 1) << within.left
    for start, end in _bridged(masks, within, columns, rows):
        filled = 0
        for row in range(start, end + 1):
            filled |= masks[row] & columns
        runs = [Region(start, left, end, right) for left, right in _runs(filled)]
        blocks = runs[:1]
        for run in runs[1:]:
            if _belongs(blocks[-1], run, rows):
                blocks[-1] = replace(blocks[-1], right=run.right)
            else:
                blocks.append(run)
        for block in blocks:
            if len(blocks) == 1:
                yield block
            else:
                yield from _cut(masks, block, rows)


def _bridged(
    masks: Sequence[int], within: Region, columns: int, rows: Rows
) -> Iterator[tuple[int, int]]:
    """Bands of rows; names of columns are one with the figures that follow after a blank row or two."""
    held: tuple[int, int] | None = None
    for start, end in _bands(masks, within.top, within.bottom, columns):
        if (
            held is not None
            and start - held[1] <= NEAR
            and _columns(masks, held) & ~_columns(masks, (start, end)) == 0
        ):
            start = held[0]
        elif held is not None:
            yield held
        held = None
        band = Region(start, 0, end, _columns(masks, (start, end)).bit_length() - 1)
        if band.height <= NAMES and _names(rows(band, NAMES)):
            held = (start, end)
        else:
            yield start, end
    if held is not None:
        yield held


def _columns(masks: Sequence[int], band: tuple[int, int]) -> int:
    filled = 0
    for row in range(band[0], band[1] + 1):
        filled |= masks[row]
    return filled


def _names(head: Sequence[Sequence[Cell]]) -> bool:
    words = max(sum(bool(text_of(cell)) for cell in row) for row in head)
    return words > 1 and not any(is_figure(cell) for row in head for cell in row)


def _belongs(left: Region, right: Region, rows: Rows) -> bool:
    """Whether figures beside a blank column belong to the names on its other side.

    They do when they have no names of rows of their own: in rows with figures stand figures alone, each
    row beside a filled one, and they do not begin with the same column again.
    """
    if right.left - left.right > SPACER + 1:
        return False
    pairs = list(zip(rows(left, LOOKED_AT), rows(right, LOOKED_AT), strict=True))
    first = next((at for at, (_, row) in enumerate(pairs) if any(map(is_figure, row))), None)
    if not first:
        return False
    body = [(a, b) for a, b in pairs[first:] if any(map(is_figure, b))]
    named = all(any(map(text_of, a)) for a, _ in body)
    figures = all(marks(cell) for _, b in body for cell in b if text_of(cell))
    words = any(text_of(cell) and not marks(cell) for a, _ in body for cell in a)
    own = {fold(text_of(row[0])) for row, _ in pairs[:first] if text_of(row[0])}
    again = any(fold(text_of(row[0])) in own for _, row in pairs[:first] if text_of(row[0]))
    return named and figures and words and not again


def _bands(masks: Sequence[int], top: int, bottom: int, columns: int) -> Iterator[tuple[int, int]]:
    start = -1
    for row in range(top, bottom + 1):
        filled = masks[row] & columns
        if filled and start < 0:
            start = row
        elif not filled and start >= 0:
            yield start, row - 1
            start = -1
    if start >= 0:
        yield start, bottom


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    place = 0
    while mask:
        skip = (mask & -mask).bit_length() - 1
        mask >>= skip
        place += skip
        length = (~mask & (mask + 1)).bit_length() - 1
        yield place, place + length - 1
        mask >>= length
        place += length
