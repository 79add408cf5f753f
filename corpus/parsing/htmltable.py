"""Tables of web pages as grids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bs4.element import NavigableString, PreformattedString, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = frozenset({"thead", "tbody", "tfoot", "form"})
HOLDERS = ["p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table", "pre", "blockquote"]
# Spans are followed up to here: the HTML standard bounds one span so too.
COLUMNS, CELLS = 1000, 1_000_000


def cells(table: Tag) -> list[list[Tag]]:
    """The cells of the table's own rows, not of tables inside them."""
    return [
        [cell for cell in row.children if isinstance(cell, Tag) and cell.name in {"td", "th"}]
        for row in _rows(table)
    ]


def _rows(node: Tag) -> Iterator[Tag]:
    for child in node.children:
        if isinstance(child, Tag):
            if child.name == "tr":
                yield child
            elif child.name in PARTS:
                yield from _rows(child)


def caption_of(table: Tag) -> str:
    """The table's caption, empty where it has none."""
    caption = next(
        (child for child in table.children if isinstance(child, Tag) and child.name == "caption"),
        None,
    )
    return text_of(caption) if caption else ""


def is_layout(table: Tag) -> bool:
    """Whether the table only arranges parts of a page: marked so, or without named columns and of a
    single row or column, or holding tables."""
    if table.get("role") in {"presentation", "none"}:
        return True
    rows = [row for row in cells(table) if row]
    if any(cell.name == "th" for row in rows for cell in row):
        return False
    return len(rows) <= 1 or max(len(row) for row in rows) <= 1 or table.find("table") is not None


def grid_of(table: Tag) -> list[list[str]]:
    """Rows of texts, a merged cell's in each place that it covers."""
    rows = cells(table)
    grid = _filled(rows, spans=True)
    # Spans that were made to fill the memory are not followed.
    too_many = len(grid) * max(map(len, grid), default=0) > CELLS
    return _filled(rows, spans=False) if too_many else grid


def _filled(rows: list[list[Tag]], *, spans: bool) -> list[list[str]]:
    grid: list[list[str]] = []
    down: dict[int, tuple[int, str]] = {}
    for number, row in enumerate(rows):
        line: list[str] = []
        left = len(rows) - number
        for cell in row:
            _fill(line, down)
            text = text_of(cell)
            room = max(1, COLUMNS - len(line))
            wide = min(_span(cell, "colspan") or 1, room) if spans else 1
            high = min(_span(cell, "rowspan") or left, left) if spans else 1
            for _ in range(wide):
                if high > 1:
                    down[len(line)] = (high, text)
                line.append(text)
        _fill(line, down)
        down = {column: (left - 1, text) for column, (left, text) in down.items() if left > 1}
        grid.append(line)
    return grid


def _fill(line: list[str], down: dict[int, tuple[int, str]]) -> None:
    """Go past the places that a cell of a row above reaches into."""
    while len(line) in down:
        line.append(down[len(line)][1])


def _span(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or "1").strip()
    return int(text) if text.isdecimal() and len(text) < 9 else 1


def text_of(node: Tag) -> str:
    """The text of a cell on one line; of a table inside it nothing."""
    return " ".join("".join(_texts(node)).split())


def _texts(node: Tag) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, Tag):
            if child.name == "table":
                continue
            apart = child.name in {"br", "li", "dt", "dd", *HOLDERS}
            yield " " if apart else ""
            if child.name == "img":
                yield str(child.get("alt") or "")
            elif child.name == "input" and child.get("type") in {"checkbox", "radio"}:
                yield "[x] " if child.has_attr("checked") else "[ ] "
            elif child.name == "input" and child.get("type") != "hidden":
                yield str(child.get("value") or "")
            yield from _texts(child)
            yield " " if apart else ""
        elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
            yield str(child)
