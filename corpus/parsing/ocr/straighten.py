"""Before a page is read: stood upright, skew taken out, brought to the size that is read best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.parsing.ocr import rapidocr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.ocr.rapidocr import Boxes
    from corpus.parsing.ocr.values import Picture

# Lines are looked for in a picture of this size (pixels): where they lie shows in a small one too.
LOOK = 1280
# A line as high as this is read best and quickest; see docs/decisions for the sweep.
HIGH, TOO_HIGH, TOO_LOW = 26, 32, 16
LARGEST, MOST_TIMES = 4000, 4.0
# Skew that does no harm, and the most that is taken for skew and not for a drawing (degrees).
SKEW, MOST_SKEW = 0.4, 20.0
VOTES = 12


@dataclass(frozen=True, slots=True)
class Straight:
    """`turn` is by how many degrees clockwise the picture was turned; `line` the usual height of its
    lines in pixels, 0 when no text was found in it."""

    picture: Picture
    turn: float
    line: float


def straighten(picture: Picture) -> Straight:
    """The picture as it is to be read. One in which no text is found is given back as it came."""
    small = _shrunk(picture, LOOK)
    boxes = rapidocr.boxes(small)
    if not len(boxes):
        return Straight(picture, 0.0, 0.0)
    sideways = _sideways(boxes)
    turn = 90.0 if sideways else 0.0
    lines = _crops(small, boxes, sideways)
    if rapidocr.upside_down(lines):
        turn += 180.0
    turn -= _skew(boxes, sideways)
    height = _height(boxes, sideways) * max(picture.shape[:2]) / max(small.shape[:2])
    scale = _scale(height, max(picture.shape[:2]))
    return Straight(_turned(_resized(picture, scale), turn), turn, height * scale)


def sheet(width: float, height: float, turn: float) -> tuple[float, float]:
    """Width and height of a sheet of this size after it was turned: all of it is kept."""
    cosine, sine = abs(math.cos(math.radians(turn))), abs(math.sin(math.radians(turn)))
    return width * cosine + height * sine, width * sine + height * cosine


def _sides(boxes: Boxes) -> tuple[Boxes, Boxes]:
    import numpy as np

    across = np.linalg.norm(boxes[:, 1] - boxes[:, 0], axis=1)
    down = np.linalg.norm(boxes[:, 3] - boxes[:, 0], axis=1)
    return across, down


def _sideways(boxes: Boxes) -> bool:
    """Whether the text runs up or down the picture: long lines tell, single words do not."""
    across, down = _sides(boxes)
    standing = down > across * 1.5
    lying = across > down * 1.5
    return bool(down[standing].sum() > across[lying].sum())


def _skew(boxes: Boxes, sideways: bool) -> float:
    """By how many degrees clockwise the lines lean, 0 where they do not agree on it."""
    import numpy as np

    across, down = _sides(boxes)
    along, high = (down, across) if sideways else (across, down)
    ends = boxes[:, 3] - boxes[:, 0] if sideways else boxes[:, 1] - boxes[:, 0]
    long = along > high * 4
    if long.sum() < 2:
        return 0.0
    angles = np.degrees(np.arctan2(ends[long, 1], ends[long, 0])) - (90 if sideways else 0)
    # The longest lines tell the angle best.
    order = np.argsort(angles)
    weights = np.cumsum(along[long][order])
    lean = float(angles[order][np.searchsorted(weights, weights[-1] / 2)])
    apart = float(np.median(np.abs(angles - lean)))
    return lean if SKEW <= abs(lean) <= MOST_SKEW and apart < max(1.0, abs(lean) / 2) else 0.0


def _height(boxes: Boxes, sideways: bool) -> float:
    """The height of the smaller lines: small print must stay readable beside a title."""
    import numpy as np

    across, down = _sides(boxes)
    return float(np.quantile(across if sideways else down, 0.4))


def _scale(height: float, longest: int) -> float:
    scale = 1.0
    if height > TOO_HIGH or height < TOO_LOW:
        scale = min(HIGH / height, MOST_TIMES)
    return min(scale, LARGEST / longest)


def _crops(picture: Picture, boxes: Boxes, sideways: bool) -> Sequence[Picture]:
    """The beginnings of the longest lines, lying level."""
    import cv2
    import numpy as np

    across, down = _sides(boxes)
    crops = []
    for index in np.argsort(-np.maximum(across, down))[:VOTES]:
        width, height = int(across[index]) + 1, int(down[index]) + 1
        level = np.asarray([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        way = cv2.getPerspectiveTransform(boxes[index], level)
        line = cv2.warpPerspective(picture, way, (width, height))
        if sideways:
            line = cv2.rotate(line, cv2.ROTATE_90_CLOCKWISE)
        crops.append(np.ascontiguousarray(line[:, : line.shape[0] * 6]))
    return crops


def _shrunk(picture: Picture, longest: int) -> Picture:
    return _resized(picture, min(1.0, longest / max(picture.shape[:2])))


def _resized(picture: Picture, scale: float) -> Picture:
    import cv2

    if scale == 1.0:
        return picture
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how)


def _turned(picture: Picture, turn: float) -> Picture:
    """Turned clockwise by `turn` degrees, nothing cut off, the corners filled with white."""
    import cv2
    import numpy as np

    quarter = round(turn / 90)
    rest = turn - quarter * 90
    upright = np.ascontiguousarray(np.rot90(picture, -quarter % 4))
    if not rest:
        return upright
    height, width = upright.shape[:2]
    wide, high = sheet(width, height, rest)
    way = cv2.getRotationMatrix2D((width / 2, height / 2), -rest, 1.0)
    way[:, 2] += (wide - width) / 2, (high - height) / 2
    size = (round(wide), round(high))
    return cv2.warpAffine(upright, way, size, flags=cv2.INTER_CUBIC, borderValue=(255, 255, 255))
