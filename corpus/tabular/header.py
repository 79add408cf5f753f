"""Where the names of the columns stand: below titles, over one row or several, or nowhere. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.tabular.cells import Cell, marks, text_of
from engines.language import fold

type Grid = Sequence[Sequence[Cell]]
SEARCHED, DEEPEST = 30, 4
DAYS = frozenset({"ymd", "dmy", "mdy"})
FIGURES = DAYS | {"point", "comma"}
# A row is as wide as the table when it fills this share of the cells that most rows fill.
FULL, TYPED = 0.6, 0.8


@dataclass(frozen=True, slots=True)
class Merge:
    """A merged range, rows and columns counted from 0 within the grid, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class Header:
    """The rows `top` to `bottom` (included) name the columns; none do where `bottom` is below `top`."""

    top: int
    bottom: int
    labels: tuple[str, ...]


def header_of(rows: Grid, merges: Sequence[Merge] = (), forced: int | None = None) -> Header | None:
    """The header of the grid's first rows; None where nothing stands in them.

    `forced` is the row, from 0, that a person says it begins at.
    """
    texts = [[text_of(cell) for cell in row] for row in rows]
    if forced is not None:
        return _header(texts, rows, merges, forced, forced) if forced < len(rows) else None
    at = _first_full(texts)
    if at is None:
        return None
    if is_data(rows[at], rows[at + 1 :]):
        above = texts[at - 1] if at else []
        # A header that names only some of the columns stands right above them.
        if sum(map(bool, above)) < 2 or any(is_figure(cell) for cell in rows[at - 1] if cell):
            return Header(at, at - 1, ())
        at -= 1
    top = at
    while top and _groups(
        texts[top - 1], texts[top], rows[top - 1], _across(merges, top - 1, rows)
    ):
        top -= 1
    return _header(texts, rows, merges, top, at)


def is_data(row: Sequence[Cell], below: Grid) -> bool:
    """Whether a row reads like those below it: figures stand where they have figures."""
    filled = [
        place for place, cell in enumerate(row) if text_of(cell) and "missing" not in marks(cell)
    ]
    typed = [is_figure(row[place]) for place in _over_figures(filled, below)]
    return sum(typed) * 2 > len(typed) and not _is_series(row, below) and not _is_days(row, below)


def has_names(row: Sequence[Cell], below: Grid) -> bool:
    """Whether a row of words stands over figures: the plain sign of a header."""
    filled = [cell for cell in row if text_of(cell)]
    if len(filled) < 2 or any(map(is_figure, filled)):
        return False
    return any(
        place < len(other) and is_figure(other[place]) and text_of(cell)
        for place, cell in enumerate(row)
        for other in below
    )


def _is_series(row: Sequence[Cell], below: Grid) -> bool:
    """Years or numbers that count upwards name columns, unless the rows below are of their kind too."""

    def figures(cells: Sequence[Cell]) -> list[int]:
        found = [text_of(cell) for cell in cells if is_figure(cell)]
        plain = len(found) > 1 and all(text.isascii() and text.isdigit() for text in found)
        return [int(text) for text in found] if plain else []

    def years(cells: Sequence[Cell]) -> bool:
        found = figures(cells)
        return (
            bool(found)
            and len(set(found)) == len(found)
            and 1800 <= min(found) <= max(found) <= 2100
        )

    def series(cells: Sequence[Cell]) -> bool:
        found = figures(cells)
        steps = {b - a for a, b in pairwise(found)}
        return years(cells) or (len(steps) == 1 and 0 not in steps)

    return any(kind(row) and not any(map(kind, below[:3])) for kind in (years, series))


def _is_days(row: Sequence[Cell], below: Grid) -> bool:
    """Days over figures that are none name columns: 'June 1, 2019' over what was earned till then."""
    places = [place for place, cell in enumerate(row) if is_figure(cell)]
    under = [r[place] for r in below for place in places if place < len(r) and is_figure(r[place])]
    days = len(places) > 1 and all(marks(row[place]) & DAYS for place in places)
    return days and bool(under) and not any(marks(cell) & DAYS for cell in under)


def one_line(text: str) -> str:
    """A name without the line breaks that its cell's width asked for."""
    return " ".join(text.split())


def is_figure(cell: Cell) -> bool:
    """Whether a cell is a number or a date."""
    return bool(marks(cell) & FIGURES)


def _first_full(texts: Sequence[Sequence[str]]) -> int | None:
    filled = [sum(map(bool, row)) for row in texts]
    counts = Counter(count for count in filled if count)
    if not counts:
        return None
    usual = max(counts, key=lambda count: (counts[count], count))
    for index, count in enumerate(filled[:SEARCHED]):
        if count and count >= usual * FULL:
            return index
    return next(index for index, count in enumerate(filled) if count)


def _across(merges: Sequence[Merge], row: int, rows: Grid) -> list[Merge]:
    """Ranges of a row that span several columns, but not all: those are titles."""
    width = max(map(len, rows), default=0)
    return [
        merge
        for merge in merges
        if merge.top <= row <= merge.bottom and 0 < merge.right - merge.left < width - 1
    ]


def _groups(
    above: Sequence[str], names: Sequence[str], row: Sequence[Cell], across: Sequence[Merge]
) -> bool:
    """Whether the row above the names gathers them under common ones."""
    filled = [text for text in above if text]
    if not filled or any(is_figure(cell) and not _is_year(cell) for cell in row if text_of(cell)):
        return False
    known = [fold(text) for text in names if text]
    return bool(across) or (len(filled) > 1 and len(set(known)) < len(known))


def _is_year(cell: Cell) -> bool:
    text = text_of(cell)
    return text.isascii() and text.isdigit() and 1800 <= int(text) <= 2100


def _header(
    texts: Sequence[Sequence[str]], rows: Grid, merges: Sequence[Merge], top: int, bottom: int
) -> Header:
    while bottom + 1 < len(texts) and bottom - top < DEEPEST - 1:
        if not _goes_on(texts[bottom], texts[bottom + 1], rows, merges, bottom):
            break
        bottom += 1
    width = max(len(row) for row in texts[top : bottom + 1])
    levels = [
        _spread(texts, merges, row, width, last=row == bottom) for row in range(top, bottom + 1)
    ]
    labels = tuple(
        " / ".join(dict.fromkeys(filter(None, map(one_line, column))))
        for column in zip(*levels, strict=True)
    )
    return Header(top, bottom, labels)


def _goes_on(
    row: Sequence[str], below: Sequence[str], rows: Grid, merges: Sequence[Merge], at: int
) -> bool:
    """Whether the row below still names columns: under merged names, or under gaps beside a name."""
    filled = {place for place, text in enumerate(below) if text}
    down = any(merge.top <= at < merge.bottom for merge in merges)
    if any(
        is_figure(rows[at + 1][place]) and not _is_year(rows[at + 1][place]) for place in filled
    ):
        return False
    if down or _across(merges, at, rows):
        return bool(filled) or down
    gaps: set[int] = set()
    for place in range(1, max(len(row), len(below))):
        text = row[place] if place < len(row) else ""
        if (
            not text
            and place in filled
            and (place - 1 in gaps or (place <= len(row) and row[place - 1]))
        ):
            gaps.add(place)
    heads = {place - 1 for place in gaps} - gaps
    alone = any(text and place not in filled for place, text in enumerate(row))
    if gaps and alone and filled <= gaps | heads:
        return True
    # Words where the rows below have figures, some of them under nothing: names still.
    named = _over_figures(filled, rows[at + 2 :])
    return len(named) > 1 and any(place >= len(row) or not row[place] for place in named)


def _over_figures(places: Iterable[int], below: Grid) -> list[int]:
    """The places in which the rows below have figures nearly throughout."""
    found = []
    for place in places:
        column = [row[place] for row in below if place < len(row) and text_of(row[place])]
        filled = [cell for cell in column if "missing" not in marks(cell)]
        if filled and sum(map(is_figure, filled)) >= TYPED * len(filled):
            found.append(place)
    return found


def _spread(
    texts: Sequence[Sequence[str]], merges: Sequence[Merge], row: int, width: int, *, last: bool
) -> list[str]:
    """The names of one row, a name that covers several columns repeated over them."""
    names = [*texts[row], *[""] * (width - len(texts[row]))][:width]
    merged = [merge for merge in merges if merge.top <= row <= merge.bottom]
    for merge in merged:
        if merge.top < len(texts) and merge.left < len(texts[merge.top]):
            for place in range(merge.left, min(merge.right + 1, width)):
                names[place] = texts[merge.top][merge.left]
    if last or merged:
        return names
    below = texts[row + 1]
    for place in range(1, width):
        if not names[place] and place < len(below) and below[place]:
            names[place] = names[place - 1]
    return names
