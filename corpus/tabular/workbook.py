"""Workbooks: every sheet of xlsx, xlsb, xls and ods, and every table on it."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.tabular.cells import Cell, text_of
from corpus.tabular.grid import Found, table_from
from corpus.tabular.header import Merge
from corpus.tabular.packed import Extent, extents, scattered
from corpus.tabular.regions import Region, regions
from corpus.tabular.source import Row, Source, line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from python_calamine import CalamineWorkbook

    from corpus.tabular.options import Options

# The part of a compound file that holds a workbook under a password.
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
# Sheets up to this many cells are held; larger ones are read again for each pass.
HELD, MOST_FILLED, MOST_TABLES = 1_000_000, 500_000, 100


@dataclass(frozen=True, slots=True)
class Sheet:
    """The filled area of a sheet: its rows as often as asked for, the number in the sheet (from 1) of
    each, and merged ranges counted within the area."""

    name: str
    rows: Callable[[], Iterator[Row]]
    number: Callable[[int], int]
    merges: tuple[Merge, ...] = ()

    def place(self, number: int | None) -> int | None:
        """Where in the area the filled row of this number in the sheet is."""
        if not number:
            return None
        places = (
            at for at, row in enumerate(self.rows()) if self.number(at) == number and line(row)
        )
        return next(places, None)

    def part(self, region: Region, limit: int | None = None) -> Iterator[list[Cell]]:
        """The cells of a region, row by row."""
        end = region.bottom + 1 if limit is None else min(region.bottom + 1, region.top + limit)
        for row in islice(self.rows(), region.top, end):
            cells = list(row[region.left : region.right + 1])
            yield cells + [None] * (region.width - len(cells))


def read_workbook(path: Path, name: str, title: str, options: Options) -> list[Found]:
    """The tables of each sheet with the text around them.

    Raises UnreadableFile when the workbook is damaged, protected, too large or empty.
    """
    from python_calamine import SheetVisibleEnum

    known = extents(path, name) if zipfile.is_zipfile(path) else {}
    book = _open(path, name)
    found: list[Found] = []
    chosen = False
    for about in book.sheets_metadata:
        extent = known.get(about.name)
        said = _said(about.name, extent, hidden=about.visible != SheetVisibleEnum.Visible)
        sheet = _sheet(book, path, about.name, extent, said)
        found.append(Found(None, tuple(said)))
        if sheet is not None:
            base = title if len(book.sheets_metadata) == 1 else f"{title} {about.name}"
            at = sheet.place(options.header_row)
            chosen = chosen or at is not None
            found += _tables(sheet, base, options, at)
    if options.header_row and not chosen:
        raise UnreadableFile(
            f"{name} has no names in row {options.header_row}. Choose the row that holds the column names."
        )
    if not any(item.table or item.notes for item in found):
        told = " ".join(text for item in found for text in item.warnings)
        raise UnreadableFile(f"{name} holds nothing to read: {told}")
    return found


def _open(path: Path, name: str) -> CalamineWorkbook:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with path.open("rb") as handle:
            return CalamineWorkbook.from_filelike(handle)
    except (CalamineError, ValueError, OSError) as error:
        if isinstance(error, PasswordError) or ENCRYPTED in path.read_bytes():
            raise UnreadableFile(
                f"{name} is protected by a password. Save it without one and upload it again."
            ) from error
        raise UnreadableFile(f"{name} is damaged and cannot be opened: {error}.") from error


def _said(sheet: str, extent: Extent | None, *, hidden: bool) -> list[str]:
    said = []
    if hidden:
        said.append(f"The sheet “{sheet}” is hidden; it was read all the same.")
    if extent and extent.chart:
        said.append(f"The sheet “{sheet}” holds only a chart, which is not read.")
    elif extent and extent.uncomputed:
        said.append(
            f"The sheet “{sheet}” has formulas without a stored result ({extent.uncomputed});"
            " their cells are empty. Open and save it in a spreadsheet program to compute them."
        )
    return said


def _sheet(
    book: CalamineWorkbook, path: Path, name: str, extent: Extent | None, said: list[str]
) -> Sheet | None:
    """The filled area of a sheet; None when there is none, which is added to what is said."""
    from python_calamine import CalamineError

    if extent and extent.chart:
        return None
    if extent and extent.sparse:
        far = scattered(path, name)
        return Sheet(name, lambda: iter(far.rows), lambda at: far.numbers[at], far.merges)
    try:
        source = book.get_sheet_by_name(name)
    except CalamineError as error:
        said.append(f"The sheet “{name}” cannot be read: {error}.")
        return None
    if source.start is None or source.end is None:
        said.append(f"The sheet “{name}” has no filled cell; charts and pictures are not read.")
        return None
    top, left = source.start
    height, width = source.end[0] - top + 1, source.end[1] - left + 1
    merges = tuple(
        Merge(a - top, b - left, c - top, d - left)
        for (a, b), (c, d) in source.merged_cell_ranges or ()
        if a >= top and b >= left and a - top < height and b - left < width
    )
    merges = tuple(
        replace(m, bottom=min(m.bottom, height - 1), right=min(m.right, width - 1)) for m in merges
    )
    held = list(source.iter_rows()) if height * width <= HELD else None
    rows = _filled(lambda: iter(held) if held is not None else source.iter_rows(), merges)
    return Sheet(name, rows, lambda at: top + at + 1, merges)


def _filled(
    rows: Callable[[], Iterator[Row]], merges: Sequence[Merge]
) -> Callable[[], Iterator[Row]]:
    """Rows in which a merged range says its value in each of its rows, in its first column.

    Sideways a value is repeated only below the header (`corpus.tabular.grid`): a title is no name.
    """
    down = [merge for merge in merges if merge.bottom > merge.top]
    if not down or sum(merge.bottom - merge.top for merge in down) > MOST_FILLED:
        return rows
    anchors = {(merge.top, merge.left) for merge in down}
    values = {
        (at, place): row[place]
        for at, row in enumerate(rows())
        for place in range(len(row))
        if (at, place) in anchors
    }
    fill: dict[int, dict[int, Cell]] = {}
    for merge in down:
        for at in range(merge.top + 1, merge.bottom + 1):
            fill.setdefault(at, {})[merge.left] = values.get((merge.top, merge.left))

    def filled() -> Iterator[Row]:
        for at, row in enumerate(rows()):
            if at in fill:
                cells = list(row)
                for place, value in fill[at].items():
                    cells[place] = value if not text_of(cells[place]) else cells[place]
                yield cells
            else:
                yield row

    return filled


def _tables(sheet: Sheet, base: str, options: Options, chosen: int | None) -> list[Found]:
    """The tables of a sheet; one under the row `chosen` by a person, the first row being 0."""
    masks = _masks(sheet)
    whole = Region(0, 0, len(masks) - 1, max(mask.bit_length() for mask in masks) - 1)
    if chosen is not None:
        source = _source(sheet, whole, base, options.numbers)
        return [table_from(replace(source, header_row=source.first + chosen))]
    tables, texts = regions(masks, lambda region, limit: list(sheet.part(region, limit)))
    if len(tables) > MOST_TABLES:
        tables, texts = [whole], []
    found: list[tuple[Region, Found]] = []
    for number, region in enumerate(tables, start=1):
        title = base
        if len(tables) > 1:
            title = f"{base} {region.title[:60] or number}"
        source = _source(sheet, region, title, options.numbers)
        if options.header_row == 0:
            source = replace(source, header_row=0)
        found.append((region, table_from(source)))
    for region in texts:
        found.append((region, Found(None, (), tuple(filter(None, map(line, sheet.part(region)))))))
    found.sort(key=lambda item: (item[0].top, item[0].left))
    return [item for _, item in found]


def _masks(sheet: Sheet) -> list[int]:
    """Which cells of each row are filled, a merged range counting as filled throughout."""
    masks = [
        sum(1 << place for place, cell in enumerate(row) if text_of(cell)) for row in sheet.rows()
    ]
    for merge in sheet.merges[:MOST_FILLED]:
        bits = ((1 << (merge.right - merge.left + 1)) - 1) << merge.left
        for at in range(merge.top, min(merge.bottom + 1, len(masks))):
            masks[at] |= bits
    return masks


def _source(sheet: Sheet, region: Region, title: str, numbers: str) -> Source:
    merges = tuple(
        Merge(
            merge.top - region.top,
            merge.left - region.left,
            merge.bottom - region.top,
            min(merge.right, region.right) - region.left,
        )
        for merge in sheet.merges
        if region.top <= merge.top <= region.bottom and region.left <= merge.left <= region.right
    )
    return Source(
        title=title,
        rows=lambda: sheet.part(region),
        reading={"sheet": sheet.name},
        first=sheet.number(region.top),
        merges=merges,
        numbers=numbers,
    )
