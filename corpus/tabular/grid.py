"""A grid of cells to a typed table: where the header stands, what each column holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.tabular.numbers import bare, conversion
from corpus.values import ParsedColumn, ParsedTable
from engines.language import fold

TOTAL = re.compile(r"^(sub)?tota(l|is)( geral)?\b|^grand total|^soma\b|^sum\b")
UNIT = re.compile(r"[\[(]\s*([^\])]{1,12})\s*[\])]")
RESERVED = {
    "user",
    "order",
    "group",
    "table",
    "select",
    "from",
    "where",
    "limit",
    "end",
    "all",
    "to",
}
Grid = Sequence[Sequence[str]]


def table_from_grid(
    grid: Grid, title: str, reading: dict[str, str]
) -> tuple[ParsedTable | None, list[str]]:
    """The table in the grid with what was noteworthy; None when the grid holds no data row."""
    warnings: list[str] = []
    rows = [[cell.strip() for cell in row] for row in grid]
    header_at = header_row(rows)
    if header_at is None:
        return None, [f"{title}: no header row was found"]
    header = rows[header_at]
    width = max((i + 1 for i, cell in enumerate(header) if cell), default=0)
    body = [list(row[:width]) + [""] * (width - len(row)) for row in rows[header_at + 1 :]]
    body = [row for row in body if any(row)]
    if header_at:
        warnings.append(f"{title}: {header_at} rows above the header were left out")
    if body and TOTAL.match(fold(next(cell for cell in body[-1] if cell))):
        body.pop()
        warnings.append(f"{title}: the last row is a total and was left out")
    if not body:
        return None, [*warnings, f"{title}: the header has no rows below it"]
    columns, converted = [], []
    names = sql_names(header[:width])
    for index, (label, name) in enumerate(zip(header[:width], names, strict=True)):
        cells = [row[index] for row in body]
        how = conversion(cells)
        if how.warning:
            warnings.append(f"{title}, {label}: {how.warning}")
        columns.append(ParsedColumn(label or name, name, how.kind, _unit(label, cells)))
        converted.append([how.convert(cell) if cell else None for cell in cells])
    reading = {**reading, "header_row": str(header_at + 1)}
    table = ParsedTable(title, tuple(columns), tuple(zip(*converted, strict=True)), reading)
    return table, warnings


def header_row(rows: Grid) -> int | None:
    """The first row that is as wide as the table below it and holds names, not figures."""
    if not rows:
        return None
    widths = [sum(1 for cell in row if cell) for row in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width) * (width > 0), width))
    for index, row in enumerate(rows[:30]):
        filled = [cell for cell in row if cell]
        if not filled or len(filled) < max(1, usual * 0.6):
            continue
        figures = sum(bool(re.fullmatch(r"[+-]?[\d.,]+", bare(cell))) for cell in filled)
        if figures <= len(filled) * 0.4 and len({fold(cell) for cell in filled}) == len(filled):
            return index
    return None


def sql_names(labels: Sequence[str]) -> list[str]:
    """Folded snake-case names, unique, safe as PostgreSQL identifiers."""
    names: list[str] = []
    for position, label in enumerate(labels, start=1):
        stem = re.sub(r"[^a-z0-9]+", "_", fold(UNIT.sub("", label))).strip("_")[:50]
        if not stem:
            stem = f"column_{position}"
        if stem[0].isdigit() or stem in RESERVED:
            stem = f"c_{stem}"
        name, number = stem, 2
        while name in names:
            name, number = f"{stem}_{number}", number + 1
        names.append(name)
    return names


def _unit(label: str, cells: Sequence[str]) -> str:
    found = UNIT.search(label)
    if found:
        return found[1]
    for sign, unit in (("€", "€"), ("$", "$"), ("%", "%")):
        if any(sign in cell for cell in cells):
            return unit
    return ""
