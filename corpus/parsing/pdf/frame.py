"""From a PDF page's own space to the page as it is seen."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpus.parsing.layout.boxes import Box

if TYPE_CHECKING:
    from collections.abc import Iterable

Matrix = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """An affine map to points from the top left corner, y growing downwards; `turn` is by how many
    quarters, clockwise, the seen page was turned on top of that so that its text runs across."""

    matrix: Matrix
    width: float
    height: float
    turn: int = 0

    def point(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, e, f = self.matrix
        return a * x + c * y + e, b * x + d * y + f

    def direction(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, _, _ = self.matrix
        return a * x + c * y, b * x + d * y

    def box(self, points: Iterable[tuple[float, float]]) -> Box:
        """The box around points of the page's own space."""
        seen = [self.point(x, y) for x, y in points]
        xs, ys = [x for x, _ in seen], [y for _, y in seen]
        return Box(min(xs), min(ys), max(xs), max(ys))

    def turned(self, quarters: int) -> Frame:
        """The same page turned clockwise by so many quarters."""
        frame = self
        for _ in range(quarters % 4):
            a, b, c, d, e, f = frame.matrix
            matrix = (-b, a, -d, c, frame.height - f, e)
            frame = replace(frame, matrix=matrix, width=frame.height, height=frame.width)
        return replace(frame, turn=(self.turn + quarters) % 4)


def frame_of(page: Any) -> Frame:
    """The frame of a page of pypdfium2, its /Rotate and its crop box taken into account."""
    import pypdfium2.raw as raw

    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    width, height = page.get_size()
    across, down = box.right - box.left, box.top - box.bottom
    match page.get_rotation():
        case 90:
            matrix = (0, 1, 1, 0, -box.bottom, -box.left)
        case 180:
            matrix = (-1, 0, 0, 1, box.right, -box.bottom)
        case 270:
            matrix = (0, -1, -1, 0, box.top, box.right)
        case _:
            matrix = (1, 0, 0, -1, -box.left, box.top)
    if page.get_rotation() in {90, 270}:
        across, down = down, across
    x, y = (width / across if across else 1.0), (height / down if down else 1.0)
    a, b, c, d, e, f = matrix
    return Frame((a * x, b * y, c * x, d * y, e * x, f * y), width, height)


def times(one: Matrix, two: Matrix) -> Matrix:
    """First `one`, then `two`."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )
