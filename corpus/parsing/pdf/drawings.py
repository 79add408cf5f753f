"""What is drawn on a page of a PDF besides its text: ruled lines, pictures, coloured grounds."""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus.parsing.layout.boxes import Box, inside
from corpus.parsing.lines import Rule
from corpus.parsing.pdf.frame import Matrix, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.parsing.layout.boxes import Boxed
    from corpus.parsing.pdf.frame import Frame

# A map or a chart can hold a million strokes; none of them rules a table.
OBJECTS, SEGMENTS, DEPTH = 20_000, 400, 6
THIN, SHORTEST, STRAIGHT = 3.0, 6.0, 1.0
WHITE = 250
PLAIN: Matrix = (1, 0, 0, 1, 0, 0)
Point = tuple[float, float]


@dataclass(slots=True)
class Drawings:
    """`grounds` are areas that are not white; `shapes` counts what is drawn by strokes and fills."""

    rules: list[Rule] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)
    grounds: list[Box] = field(default_factory=list)
    shapes: int = 0

    def ground(self, item: Boxed) -> bool:
        """Whether something that is not white lies under it."""
        return any(inside(item, box) for box in (*self.grounds, *self.pictures))


def drawings(page: Any, frame: Frame) -> Drawings:
    """The page's drawings in the frame's points."""
    import pypdfium2.raw as raw

    held = Drawings()
    for item, matrix in _objects(page):
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_PATH:
            held.shapes += 1
            _path(item, matrix, frame, held)
        elif kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            box = _bounds(item, matrix, frame)
            if box is not None:
                (held.pictures if kind == raw.FPDF_PAGEOBJ_IMAGE else held.grounds).append(box)
    return held


def _objects(page: Any) -> Iterator[tuple[Any, Matrix]]:
    """Objects of the page and of the forms on it, with the map from their space to the page's."""
    import pypdfium2.raw as raw

    count = raw.FPDFPage_CountObjects(page)
    waiting = [(raw.FPDFPage_GetObject(page, at), PLAIN, 0) for at in range(min(count, OBJECTS))]
    waiting.reverse()
    seen = 0
    while waiting and seen < OBJECTS:
        item, matrix, depth = waiting.pop()
        seen += 1
        if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_FORM:
            yield item, matrix
        elif depth < DEPTH:
            below = times(_matrix(item), matrix)
            count = min(raw.FPDFFormObj_CountObjects(item), OBJECTS)
            members = [raw.FPDFFormObj_GetObject(item, at) for at in range(count)]
            waiting += [(member, below, depth + 1) for member in reversed(members)]


def _matrix(item: Any) -> Matrix:
    import pypdfium2.raw as raw

    held = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, ctypes.byref(held)):
        return PLAIN
    return held.a, held.b, held.c, held.d, held.e, held.f


def _bounds(item: Any, matrix: Matrix, frame: Frame) -> Box | None:
    import pypdfium2.raw as raw

    edges = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(item, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    corners = ((left, bottom), (left, top), (right, bottom), (right, top))
    return _clipped(frame.box(_mapped(corner, matrix) for corner in corners), frame)


def _clipped(box: Box, frame: Frame) -> Box | None:
    """The part of it that is on the page."""
    part = Box(
        max(0.0, box.left),
        max(0.0, box.top),
        min(frame.width, box.right),
        min(frame.height, box.bottom),
    )
    return part if part.width >= 0 and part.height >= 0 else None


def _mapped(point: Point, matrix: Matrix) -> Point:
    a, b, c, d, e, f = matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def _path(item: Any, matrix: Matrix, frame: Frame, held: Drawings) -> None:
    import pypdfium2.raw as raw

    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke))
    count = raw.FPDFPath_CountSegments(item)
    filled = bool(fill.value) and not _white(item, stroke=False)
    if count > SEGMENTS or count < 2:
        box = _bounds(item, matrix, frame) if filled else None
        if box is not None:
            held.grounds.append(box)
        return
    stroked = bool(stroke.value) and not _white(item, stroke=True)
    if not filled and not stroked:
        return
    whole = times(_matrix(item), matrix)
    for points, curved in _strokes(item, count):
        seen = [frame.point(*_mapped(point, whole)) for point in points]
        box = Box(
            min(x for x, _ in seen),
            min(y for _, y in seen),
            max(x for x, _ in seen),
            max(y for _, y in seen),
        )
        part = _clipped(box, frame)
        if part is None:
            continue
        if min(part.width, part.height) <= THIN:
            _rule(part, held)
            continue
        if filled:
            held.grounds.append(part)
        if stroked and not curved:
            for (x, y), (v, w) in itertools.pairwise(seen):
                edge = Box(min(x, v), min(y, w), max(x, v), max(y, w))
                if min(edge.width, edge.height) <= STRAIGHT:
                    _rule(edge, held)


def _rule(box: Box, held: Drawings) -> None:
    if max(box.width, box.height) >= SHORTEST:
        held.rules.append(Rule(box.left, box.top, box.right, box.bottom))


def _strokes(item: Any, count: int) -> Iterator[tuple[list[Point], bool]]:
    """The runs of points that a path is drawn along, and whether one is bent."""
    import pypdfium2.raw as raw

    points: list[Point] = []
    curved = False
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(count):
        segment = raw.FPDFPath_GetPathSegment(item, at)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if len(points) > 1:
                yield points, curved
            points, curved = [], False
        points.append((x.value, y.value))
        curved = curved or kind == raw.FPDF_SEGMENT_BEZIERTO
        if raw.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if len(points) > 1:
        yield points, curved


def _white(item: Any, *, stroke: bool) -> bool:
    """Whether it is drawn in white, or cannot be seen at all."""
    import pypdfium2.raw as raw

    parts = [ctypes.c_uint() for _ in range(4)]
    read = raw.FPDFPageObj_GetStrokeColor if stroke else raw.FPDFPageObj_GetFillColor
    if not read(item, *parts):
        return False
    red, green, blue, alpha = (part.value for part in parts)
    return alpha == 0 or min(red, green, blue) >= WHITE
