"""Tables without ruled lines: phrases that stand under each other, row by row."""

from __future__ import annotations

import itertools
import re
import statistics
from typing import TYPE_CHECKING

from corpus.parsing.layout.boxes import around, covered, rows, shared
from corpus.parsing.layout.running import glued
from corpus.parsing.layout.tables import cell_text, numeric, table_at, trimmed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.layout.tables import Table
    from corpus.parsing.lines import Line

Row = list["Line"]
Column = tuple[float, float]
# In letter sizes: the least gap between columns, the most between rows of one table.
GUTTER, ROW_GAP = 0.4, 3.2
LEAST_ROWS = 3
PROSE_WIDTH, PROSE_FILL, WORDY = 10, 0.72, 16
MARK = re.compile(
    r"^(?:[•‣▪◦●○■□►➢➤✓✔–—*·\ue000-\uf8ff\ufffd-]|\(?[0-9a-zA-Z]{1,3}[.)]|\(?[ivxl]{1,4}[.)]|\[\d+\])$"
)
CURRENCY = re.compile(r"^[$€£¥]$")


def aligned_tables(lines: Sequence[Line], size: float) -> list[Table]:
    """Tables among the lines of a part of a page, from top to bottom. `size` is that of its letters."""
    return [table for run in _runs(rows(lines), size) if (table := _table(run, size)) is not None]


def _runs(found: Sequence[Row], size: float) -> list[list[Row]]:
    """Rows of several phrases that follow each other, with single phrases among them."""
    runs: list[list[Row]] = []
    current: list[Row] = []
    for row in found:
        gap = row[0].top - max(line.bottom for line in current[-1]) if current else 0.0
        lone = [len(held) == 1 for held in (*current[-2:], row)]
        if current and (gap > size * ROW_GAP or lone == [True, True, True]):
            runs.append(current)
            current = []
        current.append(row)
    runs.append(current)
    return [run for run in runs if any(len(row) > 1 for row in run)]


def _table(rows_found: Sequence[Row], size: float) -> Table | None:
    first = next(at for at, row in enumerate(rows_found) if len(row) > 1)
    last = max(at for at, row in enumerate(rows_found) if len(row) > 1)
    run = [_with_currency(row) for row in rows_found[first : last + 1]]
    columns = _columns(run, size)
    if len(columns) < 2:
        return None
    placed = [[_spanned(line, columns) for line in row] for row in run]
    if not _is_table(run, placed, columns):
        return None
    # A heading of several columns stands alone above them.
    while first and _over_columns(rows_found[first - 1], run[0], columns):
        first -= 1
        run.insert(0, rows_found[first])
        placed.insert(0, [_spanned(run[0][0], columns)])
    grid = _grid(run, placed, columns)
    lines = [line for row in rows_found[first : last + 1] for line in row]
    merged = _unwrapped(grid, run)
    return table_at(around(lines), trimmed(merged), lines)


def _over_columns(row: Row, below: Row, columns: Sequence[Column]) -> bool:
    """Whether a lone phrase heads two columns or more, the first one left out."""
    line = row[0]
    if below[0].top - line.bottom > line.size or len(line.text) > 60:
        return False
    span = _spanned(line, columns)
    wide = _centred(line, span, columns, range(len(columns)))
    return len(wide) > 1 and wide[0] > 0


def _with_currency(row: Row) -> Row:
    """A currency sign set apart belongs to the amount after it."""
    held: Row = []
    for line in row:
        if held and CURRENCY.match(held[-1].text) and numeric(line.text):
            sign = held.pop()
            line = _joined(sign, line)
        held.append(line)
    return held


def _joined(sign: Line, line: Line) -> Line:
    from dataclasses import replace

    return replace(line, text=f"{sign.text} {line.text}", left=sign.left)


def _columns(run: Sequence[Row], size: float) -> list[Column]:
    """Where phrases stand under each other, judged by the rows that hold the most.

    A heading may stand beside its figures, or reach into the next column: of several ways to part the
    columns the one is taken in which the fewest phrases of a row share one.
    """
    most = max(len(row) for row in run)
    full = [row for row in run if len(row) >= max(2, most * 0.6)]
    if len(full) < 2:
        return []
    stretches = [(line.left, line.right) for row in full for line in row]
    ways = [_parted(covered(stretches), size)]
    figures = [row for row in full if sum(numeric(line.text) for line in row) * 2 >= len(row)]
    if LEAST_ROWS <= len(figures) < len(full):
        ways.append(
            _parted(covered((line.left, line.right) for row in figures for line in row), size)
        )
    if len(full) >= 4 and len(ways[0]) < most:
        ways.append(_parted(_often(stretches, max(1, len(full) // 6)), size))
    return min((way for way in ways if way), key=lambda way: (_crowded(full, way), -len(way)))


def _crowded(full: Sequence[Row], columns: Sequence[Column]) -> int:
    """How many phrases stand in a column that another of their row begins in."""
    return sum(len(row) - len({_spanned(line, columns)[0] for line in row}) for row in full)


def _often(stretches: Sequence[Column], more: int) -> list[Column]:
    """Stretches that more than so many of them cover."""
    edges = sorted([(low, 1) for low, _ in stretches] + [(high, -1) for _, high in stretches])
    found: list[Column] = []
    depth, start = 0, 0.0
    for place, step in edges:
        if depth <= more < depth + step:
            start = place
        elif depth + step <= more < depth:
            found.append((start, place))
        depth += step
    return found


def _parted(stretches: Sequence[Column], size: float) -> list[Column]:
    """Stretches that stand closer than a gutter are one column."""
    parted: list[Column] = []
    for low, high in stretches:
        if parted and low - parted[-1][1] < size * GUTTER:
            parted[-1] = (parted[-1][0], high)
        else:
            parted.append((low, high))
    return parted


def _spanned(line: Line, columns: Sequence[Column]) -> range:
    """The columns that a phrase stands in; one that stands in none is in the nearest."""
    held = [
        at
        for at, column in enumerate(columns)
        if shared(*column, line.left, line.right)
        > 0.3 * min(column[1] - column[0], line.right - line.left)
    ]
    if held:
        return range(held[0], held[-1] + 1)
    middle = (line.left + line.right) / 2
    near = min(
        range(len(columns)),
        key=lambda at: max(columns[at][0] - middle, middle - columns[at][1]),
    )
    return range(near, near + 1)


def _is_table(
    run: Sequence[Row], placed: Sequence[Sequence[range]], columns: Sequence[Column]
) -> bool:
    """Whether rows of phrases are a table, not text in columns, a list, or labels with values."""
    within: list[list[Line]] = [[] for _ in columns]
    full = 0
    for row, spans in zip(run, placed, strict=True):
        full += len({span[0] for span in spans}) >= max(2, len(columns) * 0.5)
        for line, span in zip(row, spans, strict=True):
            if len(span) == 1:
                within[span[0]].append(line)
    if full < LEAST_ROWS or full < len(run) * 0.4 or min(map(len, within)) < 2:
        return False
    if not _on_baselines(run):
        return False
    texts = [[line.text.strip() for line in held] for held in within]
    figures = sum(sum(map(numeric, column)) >= len(column) * 0.7 for column in texts)
    prose = any(_prose(held, column) for held, column in zip(within, columns, strict=True))
    if prose and (figures * 2 < len(columns) or full < len(run) * 0.7):
        return False
    if not any(map(numeric, (text for column in texts for text in column))) and any(
        _median_width(held) >= WORDY for held in within
    ):
        return False
    marks = sum(MARK.match(text) is not None for text in texts[0])
    if len(columns) == 2 and (
        marks > len(texts[0]) * 0.6
        or sum(text.endswith(":") for text in texts[0]) * 2 > len(texts[0])
    ):
        return False
    every = [text for column in texts for text in column]
    # Formulas fall apart into single signs.
    single = sum(len(text) <= 2 and not numeric(text) for text in every)
    return single <= len(every) * 0.4


def _median_width(held: Sequence[Line]) -> float:
    """In letter sizes."""
    return statistics.median((line.right - line.left) / line.size for line in held)


def _on_baselines(run: Sequence[Row]) -> bool:
    """Whether the phrases of most rows stand on one line, as columns of text seldom do."""
    pairs = [
        min(abs(one.bottom - two.bottom), abs(one.top - two.top)) < max(one.size, two.size) * 0.25
        for row in run
        for one, two in itertools.pairwise(row)
    ]
    return sum(pairs) >= len(pairs) * 0.7


def _prose(held: Sequence[Line], column: Column) -> bool:
    """Whether a column is running text: long lines that fill it, closely set."""
    width = column[1] - column[0]
    long = _median_width(held) >= PROSE_WIDTH
    filled = statistics.median(line.right - line.left for line in held) >= width * PROSE_FILL
    ordered = sorted(held, key=lambda line: line.top)
    steps = [two.top - one.bottom < one.size * 0.8 for one, two in itertools.pairwise(ordered)]
    close = sum(steps) >= len(steps) * 0.6
    wordy = statistics.mean(len(line.text) for line in held) >= WORDY
    return long and filled and close and wordy and len(held) >= 3


def _grid(
    run: Sequence[Row], placed: Sequence[Sequence[range]], columns: Sequence[Column]
) -> list[list[str]]:
    head = _head(run, placed, len(columns))
    grid: list[list[str]] = []
    for at, (row, spans) in enumerate(zip(run, placed, strict=True)):
        cells: list[list[Line]] = [[] for _ in columns]
        for line, span in zip(row, spans, strict=True):
            wide = _centred(line, span, columns, _near(line, row, columns)) if at < head else span
            for column in wide:
                cells[column].append(line)
        grid.append([cell_text(cell) for cell in cells])
    return grid


def _head(run: Sequence[Row], placed: Sequence[Sequence[range]], width: int) -> int:
    """How many rows stand before the first that has figures, or fills most columns."""
    for at, (row, spans) in enumerate(zip(run, placed, strict=True)):
        figures = sum(numeric(line.text) for line in row)
        if figures * 2 >= len(row) and len(row) > 1:
            return at
        if len({span[0] for span in spans}) >= width and not any(len(s) > 1 for s in spans):
            return at
    return 0


def _near(line: Line, row: Row, columns: Sequence[Column]) -> range:
    """The columns that are nearer to a phrase than to any other of its row."""
    middles = [(held.left + held.right) / 2 for held in row]
    own = (line.left + line.right) / 2
    held = []
    for at, (low, high) in enumerate(columns):
        middle = (low + high) / 2
        if abs(own - middle) <= min(abs(other - middle) for other in middles):
            held.append(at)
    return range(held[0], held[-1] + 1) if held else range(0)


def _centred(line: Line, span: range, columns: Sequence[Column], near: range) -> range:
    """The widest run of near columns that a heading stands over the middle of."""
    middle = (line.left + line.right) / 2
    best = span
    for low in range(span[0], near.start - 1, -1):
        for high in range(span[-1], near.stop):
            centre = (columns[low][0] + columns[high][1]) / 2
            if abs(centre - middle) <= line.size * 0.7 and high - low >= len(best):
                best = range(low, high + 1)
    return best


def _unwrapped(grid: list[list[str]], run: Sequence[Row]) -> list[list[str]]:
    """Rows that only go on with the cells above are joined to them, told by closer setting."""
    tops = [min(line.top for line in row) for row in run]
    ends = [max(line.bottom for line in row) for row in run]
    spaces = [two - one for one, two in zip(ends, tops[1:], strict=False)]
    usual = statistics.median(spaces) if spaces else 0.0
    merged = [grid[0]]
    for at, row in enumerate(grid[1:]):
        above = merged[-1]
        size = run[at + 1][0].size
        filled = [column for column, text in enumerate(row) if text]
        goes_on = bool(filled) and all(
            above[column] and not numeric(row[column]) for column in filled
        )
        closer = spaces[at] < usual - size * 0.3
        lower = all(row[column][:1].islower() for column in filled)
        if goes_on and len(filled) < len(row) and (closer or lower):
            merged[-1] = [glued(one, two) for one, two in zip(above, row, strict=True)]
        else:
            merged.append(row)
    return merged
