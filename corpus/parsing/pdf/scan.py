"""A page of a PDF as a picture: rendered within bounds, judged for ink, read by OCR."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpus.parsing.layout.boxes import inside
from corpus.parsing.ocr import read_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.layout.boxes import Box
    from corpus.parsing.lines import Line, PageLines
    from corpus.parsing.pdf.frame import Frame

DPI, SMALL_DPI = 200, 400
# Longest side of the picture in pixels: small pages are enlarged towards the one, none goes beyond the other.
WISHED, LONGEST = 1600, 3600
INK_SHARE, INK_DEPTH = 0.0004, 48


def rendered(page: Any, frame: Frame) -> Any:
    """The page as a picture, H × W × 3, BGR, turned as the frame is, form fields filled in."""
    import numpy as np

    longest = max(page.get_size()) or 1.0
    scale = min(max(DPI / 72, min(SMALL_DPI / 72, WISHED / longest)), LONGEST / longest)
    bitmap = page.render(scale=scale, may_draw_forms=True, rev_byteorder=False)
    picture = np.ascontiguousarray(np.rot90(_colours(bitmap.to_numpy()), k=-frame.turn))
    bitmap.close()
    return picture


def _colours(pixels: Any) -> Any:
    import numpy as np

    if pixels.ndim == 2 or pixels.shape[2] == 1:
        grey = pixels.reshape(pixels.shape[0], pixels.shape[1])
        return np.stack([grey, grey, grey], axis=2)
    return pixels[:, :, :3]


def blank(picture: Any) -> bool:
    """Whether nothing is on it: hardly a pixel differs from its surroundings as ink does."""
    import cv2

    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    edge_y, edge_x = height // 40, width // 40
    middle = grey[edge_y : height - edge_y or None, edge_x : width - edge_x or None]
    smooth = cv2.GaussianBlur(middle, (3, 3), 0)
    ground = cv2.medianBlur(cv2.resize(smooth, None, fx=0.25, fy=0.25), 31)
    ground = cv2.resize(ground, (smooth.shape[1], smooth.shape[0]))
    ink = cv2.absdiff(smooth, ground) > INK_DEPTH
    return float(ink.mean()) < INK_SHARE


def shows(picture: Any, line: Line, frame: Frame) -> bool:
    """Whether anything can be seen where the line stands."""
    height, width = picture.shape[:2]
    across, down = width / frame.width, height / frame.height
    part = picture[
        max(0, int(line.top * down)) : int(line.bottom * down) + 1,
        max(0, int(line.left * across)) : int(line.right * across) + 1,
    ]
    return bool(part.size) and int(part.max()) - int(part.min()) > INK_DEPTH


def read(picture: Any, frame: Frame, number: int, language: str) -> PageLines:
    """The picture's lines in points of the page as OCR has stood it upright; its `turn` is from the page
    as it is seen. `language` is that of the pages before, empty where it is not known."""
    found = read_page(
        picture, number=number, width=frame.width, height=frame.height, language=language
    )
    return replace(found, turn=found.turn + 90.0 * frame.turn)


def read_part(picture: Any, part: Box, frame: Frame, number: int, language: str) -> PageLines:
    """The lines of one part of the page, in points from that part's own corner."""
    height, width = picture.shape[:2]
    across, down = width / frame.width, height / frame.height
    cut = picture[
        int(part.top * down) : int(part.bottom * down),
        int(part.left * across) : int(part.right * across),
    ]
    return read_page(cut, number=number, width=part.width, height=part.height, language=language)


def without(lines: Sequence[Line], known: Sequence[Line]) -> list[Line]:
    """The lines that do not stand where one of the known ones does."""
    return [
        line
        for line in lines
        if not any(inside(held, line) or inside(line, held) for held in known)
    ]
