"""Lines drawn on a page, found in its picture, so that the layout sees the cells of scanned tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.parsing.lines import Rule

if TYPE_CHECKING:
    from corpus.parsing.ocr.values import Picture

# In heights of a line of text: no stroke of a letter is as long, and no rule as thick.
LONG, THICK = 3.0, 0.5
MOST = 2000


def rules(picture: Picture, line: float, scale: float) -> tuple[Rule, ...]:
    """Horizontal and vertical rules of an upright picture whose lines of text are `line` pixels high.

    `scale` turns its pixels into points.
    """
    import cv2

    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    ink = cv2.adaptiveThreshold(
        gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 25, 12
    )
    length = max(20, round(line * LONG))
    found = []
    for kernel, bridge in (((length, 1), (9, 3)), ((1, length), (3, 9))):
        # Small breaks are closed first: a scanned rule is seldom whole.
        near = cv2.morphologyEx(
            ink, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, bridge)
        )
        drawn = cv2.morphologyEx(
            near, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, kernel)
        )
        count, _, boxes, _ = cv2.connectedComponentsWithStats(drawn)
        for left, top, width, height, _ in boxes[1 : min(count, MOST)]:
            if min(width, height) <= max(4, line * THICK):
                edges = (left, top, left + width, top + height)
                found.append(Rule(*(float(edge) * scale for edge in edges)))
    return tuple(found)
