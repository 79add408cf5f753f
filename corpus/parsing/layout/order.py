"""Reading order: a page is cut along its white space, again and again, into columns and bands."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from corpus.parsing.layout.aligned import MARK, aligned_tables
from corpus.parsing.layout.boxes import around, covered, gaps, letter_size, level, shared
from corpus.parsing.layout.tables import Table
from corpus.parsing.lines import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Atom = Line | Table
# In letter sizes: the least gutter between columns, the gap that sets a last heading apart.
GUTTER, APART = 0.9, 1.2
OTHER_SIZE = 0.93
DEPTH = 12
# The least width of a line of running text, in letter sizes.
PROSE_WIDTH = 13
NUMBERED = re.compile(r"^\s*\(?(\d{1,3})[.)]")


def in_order(atoms: Sequence[Atom], size: float) -> list[list[Atom]]:
    """The atoms in groups that are read one after the other, none of them in several columns.

    Tables without ruled lines are found on the way, since a part of a page shows what the whole hides.
    """
    return _cut(list(atoms), size, DEPTH)


def _cut(atoms: list[Atom], size: float, depth: int) -> list[list[Atom]]:
    if len(atoms) < 2 or depth == 0:
        return [atoms] if atoms else []
    atoms = _with_tables(atoms, size)
    columns = _columns(atoms, size)
    bands = _bands(atoms, size) if len(columns) < 2 else []
    parts = columns if len(columns) > 1 else bands
    if len(columns) > 1:
        across = _shelves(atoms)
        if len(across) > 1 and _ascending(across) and not _ascending([atoms]):
            parts = across
    if len(parts) < 2:
        return [sorted(atoms, key=lambda atom: (atom.top, atom.left))]
    return [group for part in parts for group in _cut(part, size, depth - 1)]


def _with_tables(atoms: list[Atom], size: float) -> list[Atom]:
    lines = [atom for atom in atoms if isinstance(atom, Line)]
    tables = aligned_tables(lines, size)
    taken = {id(line) for table in tables for line in table.lines}
    return [atom for atom in atoms if id(atom) not in taken] + list(tables)


def _stretches(atoms: Iterable[Atom]) -> list[tuple[float, float]]:
    return [(atom.left, atom.right) for atom in atoms]


def _columns(atoms: Sequence[Atom], size: float) -> list[list[Atom]]:
    """The atoms parted along every gutter that runs through all of them and parts columns of text."""
    parts: list[list[Atom]] = [list(atoms)]
    for low, high in gaps(_stretches(atoms), size * GUTTER):
        left = [atom for atom in parts[-1] if atom.right <= (low + high) / 2]
        right = [atom for atom in parts[-1] if atom.right > (low + high) / 2]
        if _apart(left, right):
            parts[-1:] = [left, right]
    return parts


def _apart(left: Sequence[Atom], right: Sequence[Atom]) -> bool:
    """Whether two sides of a gutter are read one after the other, not row by row."""
    if not left or not right or _marks(left):
        return False
    if _beside(left, right) < 0.4:
        return False
    fewer, more = sorted((left, right), key=len)
    paired = sum(any(level(one, two) and _like(one, two) for two in more) for one in fewer)
    if paired < len(fewer) * 0.6:
        return True
    sizes = [
        letter_size([atom for atom in side if isinstance(atom, Line)]) for side in (left, right)
    ]
    if min(map(len, (left, right))) >= 3 and min(sizes) < max(sizes) * OTHER_SIZE:
        # Notes in the margin; a label and its value are of one size.
        return True
    return _prose(left) and _prose(right)


def _marks(side: Sequence[Atom]) -> bool:
    """Whether a side holds nothing but the marks of a list: bullets, numbers, letters."""
    return all(isinstance(atom, Line) and MARK.match(atom.text.strip()) for atom in side)


def _beside(left: Sequence[Atom], right: Sequence[Atom]) -> float:
    """How much of the shorter side has the other beside it, as a share of its height."""
    sides = [
        covered((atom.top, atom.bottom + getattr(atom, "size", 0.0) * 0.8) for atom in side)
        for side in (left, right)
    ]
    both = sum(max(0.0, shared(*one, *two)) for one in sides[0] for two in sides[1])
    least = min(sum(high - low for low, high in side) for side in sides)
    return both / least if least else 0.0


def _like(one: Atom, two: Atom) -> bool:
    """Whether two stand on one baseline, as a label and its value do; tables pair with nothing."""
    return (
        isinstance(one, Line)
        and isinstance(two, Line)
        and abs(one.bottom - two.bottom) < max(one.size, two.size) * 0.3
    )


def _prose(side: Sequence[Atom]) -> bool:
    """Running text: long lines that follow each other closely, or tables beside it."""
    lines = sorted(
        (atom for atom in side if isinstance(atom, Line)),
        # A side may hold further columns.
        key=lambda line: (round(line.left / line.size / 2), line.top),
    )
    if not lines:
        return True
    long = [line for line in lines if line.right - line.left >= line.size * PROSE_WIDTH]
    follow = [
        two.top - one.bottom < one.size * 0.8 and abs(two.left - one.left) < one.size * 2
        for one, two in itertools.pairwise(long)
    ]
    # Formulas fall apart into many short pieces.
    return sum(follow) >= max(1, sum(len(line.text) > 3 for line in lines) * 0.15)


def _bands(atoms: Sequence[Atom], size: float) -> list[list[Atom]]:
    """The atoms parted, from top to bottom, where the gutters between columns begin or end."""
    bands: list[list[Atom]] = []
    current: list[Atom] = []
    gutters: list[tuple[float, float]] = []
    for strip in _strips(atoms):
        merged = gaps(_stretches([*current, *strip]), size * GUTTER)
        own = gaps(_stretches(strip), size * GUTTER)
        fits = bool(merged) if gutters else not own
        if current and not fits:
            kept, last = _last_heading(current, size) if gutters else (current, [])
            bands.append(kept)
            current = last
            merged = gaps(_stretches([*current, *strip]), size * GUTTER)
            if last and merged != own:
                bands.append(last)
                current, merged = [], own
        current = [*current, *strip]
        gutters = merged
    return [*bands, current] if current else bands


def _strips(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Atoms between which no level line runs free of all."""
    strips: list[list[Atom]] = []
    bottom = 0.0
    for atom in sorted(atoms, key=lambda atom: atom.top):
        if strips and atom.top < bottom:
            strips[-1].append(atom)
        else:
            strips.append([atom])
        bottom = max(bottom, atom.bottom) if len(strips[-1]) > 1 else atom.bottom
    return strips


def _last_heading(band: list[Atom], size: float) -> tuple[list[Atom], list[Atom]]:
    """A band of columns without the heading at its end that belongs to what follows."""
    strips = _strips(band)
    if len(strips) < 2:
        return band, []
    last, above = strips[-1], around(strips[-2])
    alone = len(last) == 1 and isinstance(last[0], Line)
    if not alone or last[0].top - above.bottom < size * APART:
        return band, []
    line = last[0]
    stands_out = isinstance(line, Line) and (line.bold or line.size > size * 1.1)
    return ([atom for atom in band if atom is not line], [line]) if stands_out else (band, [])


def _shelves(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """The atoms parted where a numbered line begins a row of cards, each read before the next row."""
    shelves: list[list[Atom]] = []
    for strip in _strips(atoms):
        numbered = any(isinstance(atom, Line) and NUMBERED.match(atom.text) for atom in strip)
        if shelves and not numbered:
            shelves[-1] += strip
        else:
            shelves.append(list(strip))
    return shelves


def _ascending(parts: Sequence[Sequence[Atom]]) -> bool:
    """Whether numbered lines rise when each part is read column by column. Without numbers: no."""
    numbers: list[int] = []
    for part in parts:
        for low, high in covered(_stretches(part)):
            column = [atom for atom in part if shared(low, high, atom.left, atom.right) > 0]
            for atom in sorted(column, key=lambda atom: atom.top):
                match = NUMBERED.match(atom.text) if isinstance(atom, Line) else None
                if match:
                    numbers.append(int(match[1]))
    return len(numbers) > 2 and numbers == sorted(numbers)
