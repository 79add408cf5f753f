"""Geometry of small bar charts by week, drawn by the templates as SVG. Pure: numbers in, places out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 320.0, 96.0
# The part of a week's place that its bar takes.
FULL = 0.72


@dataclass(frozen=True, slots=True)
class Rect:
    """A bar's place in units of the view box; `kind` is the number of its series, `said` its words."""

    x: float
    y: float
    width: float
    height: float
    kind: int
    said: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`series` names what is stacked or stands side by side, in order; `top` is the scale's end."""

    key: str
    title: str
    unit: str
    series: tuple[str, ...]
    rects: tuple[Rect, ...]
    top: float
    total: str
    width: float = WIDTH
    height: float = HEIGHT


def scale_end(highest: float) -> float:
    """The least of 1, 2, 5, 10, 20, … that is not below `highest`; 1 for nothing."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= highest * (1 - 1e-9))


def bars(
    rows: Sequence[Sequence[float | None]],
    said: Sequence[Sequence[str]],
    *,
    stacked: bool,
    end: float | None = None,
) -> tuple[tuple[Rect, ...], float]:
    """One bar for each week and series: `rows[week][series]`, None for no figure; `said` in the same shape.

    Stacked bars stand on each other, others side by side. `end` fixes the scale's end. Gives the
    rectangles, none for nothing, and the end.
    """
    heights = [[value or 0.0 for value in row] for row in rows]
    highest = max((sum(row) if stacked else max(row, default=0.0) for row in heights), default=0.0)
    top = end or scale_end(highest)
    place = WIDTH / max(len(rows), 1)
    found: list[Rect] = []
    for week, row in enumerate(heights):
        width = place * FULL if stacked else place * FULL / max(len(row), 1)
        left, base = place * week + place * (1 - FULL) / 2, HEIGHT
        for kind, value in enumerate(row):
            height = HEIGHT * min(value, top) / top
            if height > 0:
                x = left if stacked else left + width * kind
                y = base - height
                found.append(
                    Rect(
                        round(x, 2),
                        round(y, 2),
                        round(width, 2),
                        round(height, 2),
                        kind,
                        said[week][kind],
                    )
                )
                base = y if stacked else base
    return tuple(found), top
