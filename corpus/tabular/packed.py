"""A look into a packed workbook before it is read: how far its cells reach, and what they lack.

A reader that lays a sheet out in full needs memory for every cell up to the furthest one. Sheets that
reach far and hold little are read cell by cell instead.
"""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from corpus.errors import UnreadableFile
from corpus.tabular.header import Merge

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.tabular.cells import Cell

UNPACKED, CELLS, DENSE, SPARE = 3 * 1024**3, 20_000_000, 5_000_000, 4
MOST_LISTED = 32 * 1024**2
PIECE = 1 << 20
FILLED = re.compile(
    rb'<(?:\w+:)?c r="([A-Z]{1,3})([0-9]{1,7})"[^>]*[^/>]>|<(?:\w+:)?c r="([A-Z]{1,3})([0-9]{1,7})">'
)
UNCOMPUTED = re.compile(rb"(?:</f>|<f[^>]*/>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")


@dataclass(frozen=True, slots=True)
class Extent:
    """How many filled cells a sheet has, how far they reach, and formulas without a stored result."""

    cells: int
    rows: int
    columns: int
    uncomputed: int
    chart: bool = False

    @property
    def sparse(self) -> bool:
        return self.rows * self.columns > max(DENSE, self.cells * SPARE)


def extents(path: Path, name: str) -> dict[str, Extent]:
    """What each sheet of an xlsx holds, by its name; empty for other formats.

    Raises UnreadableFile when the workbook unpacks to more than may be read, or is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > UNPACKED:
                raise UnreadableFile(
                    f"{name} unpacks to more than {UNPACKED // 1024**3} GB. Split it into smaller files."
                )
            found = {sheet: _extent(archive, member) for sheet, member in _sheets(archive).items()}
    except (zipfile.BadZipFile, ElementTree.ParseError, EOFError, NotImplementedError) as error:
        raise UnreadableFile(f"{name} is damaged: it cannot be unpacked.") from error
    if sum(extent.cells for extent in found.values()) > CELLS:
        raise UnreadableFile(
            f"{name} has more than {CELLS:,} filled cells. Split it into smaller files."
        )
    return found


def _sheets(archive: zipfile.ZipFile) -> dict[str, str]:
    """The archive's member of each sheet, by the sheet's name."""
    parts = set(archive.namelist())
    if not {"xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= parts:
        return {}
    if any(
        archive.getinfo(part).file_size > MOST_LISTED
        for part in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    ):
        return {}
    # Expat refuses entities that grow without end, and nothing outside the file is fetched.
    links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    targets = {link.get("Id"): (link.get("Target") or "").lstrip("/") for link in links}
    book = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314
    found = {}
    for sheet in book.iter():
        if not sheet.tag.endswith("}sheet"):
            continue
        link = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), None)
        target = targets.get(link, "")
        member = target if target.startswith("xl/") else f"xl/{target}"
        if member in parts:
            found[sheet.get("name") or ""] = member
    return found


def _extent(archive: zipfile.ZipFile, member: str) -> Extent:
    cells = rows = uncomputed = 0
    columns: set[bytes] = set()
    rest = b""
    with archive.open(member) as handle:
        while piece := handle.read(PIECE):
            text = rest + piece
            cut = text.rfind(b"<")
            text, rest = text[:cut], text[cut:]
            found = FILLED.findall(text)
            cells += len(found)
            for first, row, second, other in found:
                columns.add(first or second)
                rows = max(rows, int(row or other))
            uncomputed += len(UNCOMPUTED.findall(text))
    width = max((_column(letters) for letters in columns), default=0)
    return Extent(cells, rows, width, uncomputed, chart="chartsheets/" in member)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


@dataclass(frozen=True, slots=True)
class Scattered:
    """A sheet's filled rows and columns, gaps closed up to one; `numbers` are its rows' numbers from 1."""

    rows: list[list[Cell]]
    numbers: list[int]
    merges: tuple[Merge, ...] = ()


def scattered(path: Path, sheet: str) -> Scattered:
    """A sheet read cell by cell, for sheets that reach far and hold little.

    Raises UnreadableFile when even without its gaps it is too large.
    """
    import openpyxl
    from openpyxl.worksheet._reader import WorkSheetParser

    with path.open("rb") as handle:
        book = openpyxl.load_workbook(handle, read_only=True, data_only=True)
        source = book[sheet]
        found: dict[int, dict[int, Cell]] = defaultdict(dict)
        with source._get_source() as xml:
            parser = WorkSheetParser(
                xml,
                source._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            for number, cells in parser.parse():
                for cell in cells:
                    if cell["value"] is not None:
                        found[number][cell["column"]] = cell["value"]
            ranges = parser.merged_cells.mergeCell if parser.merged_cells else ()
            corners = [openpyxl.utils.cell.range_boundaries(merged.ref) for merged in ranges]
        book.close()
    numbers = _closed(sorted(found))
    places = {
        column: at
        for at, column in enumerate(_closed(sorted({c for row in found.values() for c in row})))
    }
    if len(numbers) * len(places) > CELLS:
        raise UnreadableFile(
            f"The cells of the sheet “{sheet}” lie too far apart. Move its tables closer together."
        )
    rows: list[list[Cell]] = []
    for number in numbers:
        row: list[Cell] = [None] * len(places)
        for column, value in found.get(number, {}).items():
            row[places[column]] = value
        rows.append(row)
    heights = {number: at for at, number in enumerate(numbers)}
    merges = tuple(
        Merge(heights[top], places[left], heights[bottom], places[right])
        for left, top, right, bottom in corners
        if {top, bottom} <= heights.keys() and {left, right} <= places.keys()
    )
    return Scattered(rows, numbers, merges)


def _closed(numbers: list[int]) -> list[int]:
    """Ascending numbers with one in each gap."""
    closed: list[int] = []
    for number in numbers:
        if closed and number > closed[-1] + 1:
            closed.append(closed[-1] + 1)
        closed.append(number)
    return closed
