"""Rectangles on a page and what stands beside, above and over what. Points, y growing downwards."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpus.parsing.lines import Line


class Boxed(Protocol):
    """Anything with four edges: a line of text, a rule, a table's area."""

    @property
    def left(self) -> float: ...
    @property
    def top(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def bottom(self) -> float: ...


LONG = 40


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)


def around(items: Iterable[Boxed]) -> Box:
    """The smallest box around all of them; there must be one at least."""
    held = list(items)
    return Box(
        min(item.left for item in held),
        min(item.top for item in held),
        max(item.right for item in held),
        max(item.bottom for item in held),
    )


def inside(item: Boxed, box: Boxed, slack: float = 0.0) -> bool:
    """Whether the middle of `item` lies in `box`."""
    x, y = (item.left + item.right) / 2, (item.top + item.bottom) / 2
    return box.left - slack <= x <= box.right + slack and box.top - slack <= y <= box.bottom + slack


def shared(low: float, high: float, other_low: float, other_high: float) -> float:
    """How long two stretches run side by side; negative is the gap between them."""
    return min(high, other_high) - max(low, other_low)


def level(one: Boxed, other: Boxed) -> bool:
    """Whether two stand on one row: more than half of the lower one's height in common."""
    height = min(one.bottom - one.top, other.bottom - other.top)
    return shared(one.top, one.bottom, other.top, other.bottom) > height * 0.5


def covered(stretches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The union of stretches as separate ones, in order."""
    merged: list[tuple[float, float]] = []
    for low, high in sorted(stretches):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def gaps(stretches: Iterable[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """The free stretches between them that are at least so wide."""
    union = covered(stretches)
    between = itertools.pairwise(union)
    return [(one[1], two[0]) for one, two in between if two[0] - one[1] >= least]


def rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines that stand on one row together, from top to bottom, each row from left to right."""
    found: list[list[Line]] = []
    tallest: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.top + line.bottom, line.left)):
        if found and level(line, tallest[-1]):
            found[-1].append(line)
            if line.size > tallest[-1].size:
                tallest[-1] = line
        else:
            found.append([line])
            tallest.append(line)
    return [sorted(row, key=lambda line: line.left) for row in found]


def upright(line: Line) -> bool:
    """Whether it runs across the page; text set on its side is tall and narrow."""
    return not (len(line.text) > 2 and line.bottom - line.top > 2 * (line.right - line.left))


def letter_size(lines: Sequence[Line], default: float = 10.0) -> float:
    """The size that most signs are set in, in points."""
    weighed = sorted((line.size, len(line.text)) for line in lines)
    if not weighed:
        return default
    half, seen = sum(signs for _, signs in weighed) / 2, 0
    for size, signs in weighed:
        seen += signs
        if seen >= half:
            return size
    return default


def body_size(lines: Sequence[Line], default: float = 10.0) -> float:
    """The size of running text: the largest that a good part of the long lines is set in."""
    long = [line for line in lines if len(line.text) >= LONG]
    signs = Counter[float]()
    for line in long:
        signs[round(line.size * 2) / 2] += len(line.text)
    often = [size for size, count in signs.items() if count >= signs.total() * 0.2]
    return max(often) if often and signs.total() > 200 else letter_size(lines, default)


def leading(lines: Sequence[Line], default: float) -> float:
    """The usual distance from one row's top to the next one's within running text, in points."""
    tops = [min(line.top for line in row) for row in rows(lines)]
    steps = [two - one for one, two in itertools.pairwise(tops) if 0 < two - one < default * 2]
    return statistics.median(steps) if len(steps) > 2 else default
