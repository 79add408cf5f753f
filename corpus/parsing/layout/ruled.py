"""Tables by their ruled lines: the cells are the areas that lines enclose, spanning ones filled."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from corpus.parsing.layout.boxes import Box, around, inside, rows, shared
from corpus.parsing.layout.tables import cell_text, numeric, table_at, trimmed
from corpus.parsing.lines import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus.parsing.layout.tables import Table
    from corpus.parsing.lines import Line, PageLines

# Points. Rules this close are one; ends this close meet.
SAME, MEET, LEAST = 2.5, 4.0, 12.0
ROWS, COLUMNS, RULES = 400, 80, 4000
# The share of a rule that may run through letters.
STRUCK = 0.25
# A box that holds so many signs is a part of the page, not a cell.
CELL_SIGNS = 1200


def ruled_tables(page: PageLines) -> list[Table]:
    """The tables of a page that lines enclose, from top to bottom."""
    if len(page.rules) > RULES:
        return []
    drawn = page.rules if page.engine == "text" else _clear(page)
    across = _merged([rule for rule in drawn if rule.horizontal])
    upright = _merged([rule for rule in drawn if not rule.horizontal])
    found: list[Table] = []
    for group in _groups(across, upright):
        box = around(group)
        lines = [line for line in page.lines if inside(line, box, 1.0)]
        if not lines or any(inside(around(group), table, 0.0) for table in found):
            continue
        grid = _lattice(group, lines)
        if grid:
            found.append(table_at(box, grid, lines))
    return sorted(found, key=lambda table: table.top)


def _clear(page: PageLines) -> list[Rule]:
    """Rules found in a picture, without those that run through letters: rows of text look like them."""
    kept = []
    for rule in page.rules:
        low, high = _ends(rule)
        struck = 0.0
        for line in page.lines:
            if rule.horizontal:
                inner = (line.bottom - line.top) * 0.15
                hit = line.top + inner < _lane(rule) < line.bottom - inner
                struck += max(0.0, shared(low, high, line.left, line.right)) if hit else 0.0
            elif line.left + line.size < _lane(rule) < line.right - line.size:
                struck += max(0.0, shared(low, high, line.top, line.bottom))
        if struck < (high - low) * STRUCK:
            kept.append(rule)
    return kept


def _merged(rules: Sequence[Rule]) -> list[Rule]:
    """Pieces of one drawn line as one rule; short strokes left out."""
    if not rules:
        return []
    flat = rules[0].horizontal
    lanes: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: _lane(rule)):
        if lanes and _lane(rule) - _lane(lanes[-1][0]) <= SAME:
            lanes[-1].append(rule)
        else:
            lanes.append([rule])
    merged: list[Rule] = []
    for lane in lanes:
        run: list[Rule] = []
        for rule in sorted(lane, key=lambda rule: _ends(rule)):
            if run and _ends(rule)[0] > max(_ends(held)[1] for held in run) + MEET:
                merged.append(_one(run, flat))
                run = []
            run.append(rule)
        merged.append(_one(run, flat))
    return [rule for rule in merged if _ends(rule)[1] - _ends(rule)[0] >= LEAST]


def _lane(rule: Rule) -> float:
    return (rule.top + rule.bottom) / 2 if rule.horizontal else (rule.left + rule.right) / 2


def _ends(rule: Rule) -> tuple[float, float]:
    return (rule.left, rule.right) if rule.horizontal else (rule.top, rule.bottom)


def _one(run: Sequence[Rule], flat: bool) -> Rule:
    lane = sum(map(_lane, run)) / len(run)
    low, high = min(_ends(rule)[0] for rule in run), max(_ends(rule)[1] for rule in run)
    return Rule(low, lane, high, lane) if flat else Rule(lane, low, lane, high)


def _groups(across: Sequence[Rule], upright: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that meet each other, the largest group first."""
    rules = [*across, *upright]
    find, union = _unions(len(rules))
    for one, flat in enumerate(across):
        for two, tall in enumerate(upright, start=len(across)):
            if (
                flat.left - MEET <= tall.left <= flat.right + MEET
                and tall.top - MEET <= flat.top <= tall.bottom + MEET
            ):
                union(one, two)
    held: dict[int, list[Rule]] = defaultdict(list)
    for at, rule in enumerate(rules):
        held[find(at)].append(rule)
    groups = [
        group
        for group in held.values()
        if sum(rule.horizontal for rule in group) >= 2
        and any(not rule.horizontal for rule in group)
    ]
    return sorted(groups, key=lambda group: -around(group).area)


def _unions(count: int) -> tuple[Callable[[int], int], Callable[[int, int], None]]:
    parent = list(range(count))

    def find(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    def union(one: int, two: int) -> None:
        parent[find(one)] = find(two)

    return find, union


def _places(values: Iterable[float]) -> list[float]:
    """Where the grid's lines run: values that are nearly the same are one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > MEET:
            places.append(value)
    return places


def _lattice(group: Sequence[Rule], lines: Sequence[Line]) -> tuple[tuple[str, ...], ...]:
    """The cells of one group of rules, empty when it is no table: a frame, a chart, a part of a page."""
    across = [rule for rule in group if rule.horizontal]
    upright = [rule for rule in group if not rule.horizontal]
    box = around(group)
    xs = _places([*(rule.left for rule in upright), box.left, box.right])
    ys = _places([*(rule.top for rule in across), box.top, box.bottom])
    height, width = len(ys) - 1, len(xs) - 1
    if not (1 <= height <= ROWS and 2 <= width <= COLUMNS) or len(lines) < 2:
        return ()
    find, union = _unions(height * width)
    for row in range(height):
        for column in range(width):
            cell = Box(xs[column], ys[row], xs[column + 1], ys[row + 1])
            at = row * width + column
            if column + 1 < width and not _walled(upright, cell.right, cell.top, cell.bottom):
                union(at, at + 1)
            if row + 1 < height and not _walled(across, cell.bottom, cell.left, cell.right):
                union(at, at + width)
    held: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        held[find(_at(xs, ys, line))].append(line)
    if not _is_table(held, len({find(at) for at in range(height * width)})):
        return ()
    grid: list[list[str]] = []
    for row in range(height):
        cells = [find(row * width + column) for column in range(width)]
        grid += _rows_of(cells, held, alone=_alone(cells, row, width, height, find))
    whole = trimmed(grid)
    return whole if len(whole) > 1 and len(whole[0]) > 1 else ()


def _walled(rules: Sequence[Rule], lane: float, low: float, high: float) -> bool:
    """Whether rules stand on most of an edge."""
    length = sum(
        max(0.0, shared(*_ends(rule), low, high))
        for rule in rules
        if abs(_lane(rule) - lane) <= MEET
    )
    return length >= (high - low) * 0.5


def _at(xs: Sequence[float], ys: Sequence[float], line: Line) -> int:
    x, y = (line.left + line.right) / 2, (line.top + line.bottom) / 2
    column = max((at for at, edge in enumerate(xs[:-1]) if edge <= x), default=0)
    row = max((at for at, edge in enumerate(ys[:-1]) if edge <= y), default=0)
    return row * (len(xs) - 1) + column


def _is_table(held: dict[int, list[Line]], cells: int) -> bool:
    signs = [sum(len(line.text) for line in lines) for lines in held.values()]
    few = len(held) < 3 or len(held) < cells * 0.15
    return not few and max(signs) <= CELL_SIGNS


def _alone(
    cells: Sequence[int], row: int, width: int, height: int, find: Callable[[int], int]
) -> bool:
    """Whether no cell of the row reaches into the one above or below."""
    beside = [other for other in (row - 1, row + 1) if 0 <= other < height]
    near = {find(other * width + column) for other in beside for column in range(width)}
    return not near & set(cells)


def _rows_of(cells: Sequence[int], held: dict[int, list[Line]], *, alone: bool) -> list[list[str]]:
    """A ruled row as one row of texts, or as several where only columns are ruled off."""
    lines = [line for cell in dict.fromkeys(cells) for line in held.get(cell, ())]
    within = rows(lines)
    filled = [
        {cell for cell in cells for line in held.get(cell, ()) if line in row} for row in within
    ]
    full = [row for row in filled if len(row) >= max(2, len(set(cells)) * 0.6)]
    if alone and len(within) >= 4 and len(full) >= len(within) * 0.8:
        return [
            [" ".join(line.text for line in row if line in held.get(cell, ())) for cell in cells]
            for row in within
        ]
    stacked = [
        cell
        for cell in dict.fromkeys(cells)
        if len(held.get(cell, ())) > 1 and all(map(numeric, _texts(held[cell])))
    ]
    if alone and len(stacked) > 1 and all(len(rows(held[cell])) == len(within) for cell in stacked):
        # Figures under each other in one cell are rows; what stands once holds for all of them.
        return [[_in_row(held.get(cell, ()), row) for cell in cells] for row in within]
    return [[cell_text(held.get(cell, ())) for cell in cells]]


def _texts(lines: Sequence[Line]) -> list[str]:
    """The rows of a cell."""
    return [" ".join(line.text for line in row) for row in rows(lines)]


def _in_row(lines: Sequence[Line], row: Sequence[Line]) -> str:
    return cell_text([line for line in lines if line in row] if len(rows(lines)) > 1 else lines)
