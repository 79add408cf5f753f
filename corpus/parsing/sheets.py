"""Text tables and workbooks."""

from __future__ import annotations

import csv
import datetime as dt
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode_named
from corpus.tabular.dialect import delimiter, read_rows
from corpus.tabular.grid import table_from_grid
from corpus.values import Block, ParsedDocument, ParsedTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

csv.field_size_limit(10_000_000)
ROWS, CELLS, EMPTY_RUN = 1_000_000, 20_000_000, 500


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    if path.read_bytes()[:2] == b"PK":
        tables, warnings = _workbook(path, name)
    else:
        tables, warnings = _text(path, name)
    if not tables:
        raise UnreadableFile(f"{name} holds no table that can be read: {'; '.join(warnings)}.")
    blocks = tuple(Block("summary", describe(table)) for table in tables)
    return ParsedDocument(
        title=Path(name).stem, blocks=blocks, tables=tuple(tables), warnings=tuple(warnings)
    )


def describe(table: ParsedTable) -> str:
    """A short text that says what a table holds, so that it can be found by words."""
    columns = ", ".join(column.label for column in table.columns)
    parts = [f"{table.title}: {len(table.rows)} rows. Columns: {columns}."]
    for index, column in enumerate(table.columns):
        if column.kind == "text":
            values = list(dict.fromkeys(str(row[index]) for row in table.rows if row[index]))[:12]
            parts.append(f"{column.label}: {', '.join(values)}.")
    return " ".join(parts)[:1500]


def _text(path: Path, name: str) -> tuple[list[ParsedTable], list[str]]:
    text, encoding, guessed = decode_named(path.read_bytes())
    if "\x00" in text:
        raise UnreadableFile(f"{name} holds NUL bytes and is no text table.")
    separator = delimiter(text)
    try:
        rows = read_rows(text, separator)
    except csv.Error as error:
        raise UnreadableFile(f"{name} cannot be read as a table: {error}.") from error
    reading = {"delimiter": separator, "encoding": encoding}
    table, warnings = table_from_grid(rows, Path(name).stem, reading)
    if guessed:
        warnings.insert(0, f"The encoding was guessed: {encoding}.")
    return ([table] if table else []), warnings


def _workbook(path: Path, name: str) -> tuple[list[ParsedTable], list[str]]:
    from zipfile import BadZipFile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    # From the bytes, since openpyxl refuses a path whose name does not end in .xlsx.
    content = io.BytesIO(path.read_bytes())
    try:
        book = openpyxl.load_workbook(content, read_only=False, data_only=True)
    except (InvalidFileException, BadZipFile, KeyError, ValueError) as error:
        raise UnreadableFile(f"{name} is damaged or protected and cannot be opened.") from error
    tables: list[ParsedTable] = []
    warnings: list[str] = []
    for sheet in book.worksheets:
        title = Path(name).stem if len(book.worksheets) == 1 else f"{Path(name).stem} {sheet.title}"
        table, noted = table_from_grid(list(_rows(sheet)), title, {"sheet": sheet.title})
        warnings += noted
        if table:
            tables.append(table)
    return tables, warnings


def _rows(sheet: Any) -> Iterator[list[str]]:
    """Rows as text; a merged range repeats its value along its first row and column only downwards."""
    down: dict[tuple[int, int], str] = {}
    for merged in sheet.merged_cells.ranges:
        if merged.max_row > merged.min_row:
            value = sheet.cell(merged.min_row, merged.min_col).value
            for row in range(merged.min_row + 1, merged.max_row + 1):
                down[row, merged.min_col] = _cell(value)
    empty = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > ROWS:
            break
        cells = [
            _cell(value) or down.get((number, column), "")
            for column, value in enumerate(row, start=1)
        ]
        empty = 0 if any(cells) else empty + 1
        if empty > EMPTY_RUN:
            break
        yield cells


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
