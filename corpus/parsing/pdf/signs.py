"""The signs of a PDF's text layer, each with its place and how it is set."""

from __future__ import annotations

import bisect
import ctypes
import functools
import math
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.parsing.pdf.frame import Frame

BOLD_WEIGHT = 600
BOLD_NAME = re.compile(r"bold|black|heavy|demi|medi(?!um)|cmbx|sfbx|-bd|bd$")
WHITE = 250
# The width that a slanted sign is taken to have, in letter sizes: its own cannot be told.
SLANTED = 0.8
HYPHEN = 2  # What PDFium gives for a hyphen at a line's end.
# Spacing accents, which some typesetters print over a letter, and the marks that combine.
ACCENTS = {
    "´": "\u0301", "`": "\u0300", "ˇ": "\u030c", "ˆ": "\u0302", "˜": "\u0303", "¨": "\u0308",
    "¸": "\u0327", "˘": "\u0306", "˙": "\u0307", "˝": "\u030b", "˚": "\u030a", "¯": "\u0304",
}  # fmt: skip
NONE, GUESSED, WRITTEN = 0, 1, 2
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Style:
    """How a run of signs is set. `angle` is the direction of reading on the seen page, in degrees, 0
    across and 90 downwards; `size` is in points; `unseen` says why it cannot be seen: invisible, or
    white (which another ground makes visible)."""

    size: float
    angle: float
    bold: bool
    unseen: str = ""


class Sign(NamedTuple):
    """One sign. `start` and `end` run along the direction of reading, `base` is across it: all in points
    of the page as it is seen. `gap` tells of a space before it: GUESSED where the layer has none and
    PDFium sees one. `broken` says that its font has no letter for it.

    A tuple, since a page has thousands and a dataclass takes several times as long to make.
    """

    text: str
    start: float
    end: float
    base: float
    x: float
    y: float
    style: Style
    gap: int
    broken: bool


def signs(text_page: Any, frame: Frame) -> Iterator[Sign]:
    """All visible signs in the order of the layer; white space is told by the next sign's `gap`."""
    import pypdfium2.raw as raw

    box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    to_box, to_x, to_y = ctypes.byref(box), ctypes.byref(x), ctypes.byref(y)
    settings: dict[int, _Setting] = {}
    count, text_page = text_page.count_chars(), text_page.raw
    gap = NONE
    for at in range(count):
        text = _letter(raw.FPDFText_GetUnicode(text_page, at))
        if text.isspace():
            generated = raw.FPDFText_IsGenerated(text_page, at) == 1
            gap = max(gap, GUESSED if generated else WRITTEN)
            continue
        item = raw.FPDFText_GetTextObject(text_page, at)
        owner = ctypes.addressof(item.contents) if item else 0
        setting = settings.get(owner)
        if setting is None:
            setting = settings[owner] = _setting(_style(text_page, at, frame), frame)
        raw.FPDFText_GetLooseCharBox(text_page, at, to_box)
        raw.FPDFText_GetCharOrigin(text_page, at, to_x, to_y)
        start, end, base = setting.reach(box, x.value, y.value)
        seen = frame.point(x.value, y.value)
        broken = text == REPLACEMENT or raw.FPDFText_HasUnicodeMapError(text_page, at) == 1
        yield Sign(text, start, end, base, *seen, setting.style, gap, broken)
        gap = NONE


@dataclass(frozen=True, slots=True)
class _Setting:
    """A style with the maps from the page's own space to places along its direction and across it."""

    style: Style
    along: tuple[float, float, float]
    across: tuple[float, float, float]

    def reach(self, box: Any, x: float, y: float) -> tuple[float, float, float]:
        """Where a sign begins and ends along the direction of reading, and its baseline."""
        a, b, c = self.along
        d, e, f = self.across
        if self.style.angle % 90:
            # The box around a slanted sign is larger than the sign.
            start = a * x + b * y + c
            return start, start + self.style.size * SLANTED, d * x + e * y + f
        left, right = a * box.left, a * box.right
        low, high = b * box.bottom, b * box.top
        start = c + (left if left < right else right) + (low if low < high else high)
        end = c + (right if left < right else left) + (high if low < high else low)
        return start, end, d * x + e * y + f


def _setting(style: Style, frame: Frame) -> _Setting:
    cosine, sine = math.cos(math.radians(style.angle)), math.sin(math.radians(style.angle))
    a, b, c, d, e, f = frame.matrix
    return _Setting(
        style,
        (a * cosine + b * sine, c * cosine + d * sine, e * cosine + f * sine),
        (b * cosine - a * sine, d * cosine - c * sine, f * cosine - e * sine),
    )


def with_accents(found: list[Sign]) -> list[Sign]:
    """Accents that are set as signs of their own are put on the letters that they stand over."""
    accents = [at for at, sign in enumerate(found) if sign.text in ACCENTS]
    if not accents:
        return found
    # Some of the accents count as letters themselves.
    letters = [
        at for at, sign in enumerate(found) if sign.text.isalpha() and sign.text not in ACCENTS
    ]
    letters.sort(key=lambda at: (found[at].start + found[at].end) / 2)
    middles = [(found[at].start + found[at].end) / 2 for at in letters]
    whole, gone = list(found), set()
    for at in accents:
        accent = found[at]
        middle, reach = (accent.start + accent.end) / 2, accent.style.size * 0.3
        near = letters[
            bisect.bisect_left(middles, middle - reach) : bisect.bisect_right(
                middles, middle + reach
            )
        ]
        under = [
            other
            for other in near
            if abs(found[other].base - accent.base) < accent.style.size * 0.5
            and found[other].style.angle == accent.style.angle
        ]
        if not under:
            continue
        best = min(
            under, key=lambda other: abs((found[other].start + found[other].end) / 2 - middle)
        )
        letter = {"ı": "i", "ȷ": "j"}.get(whole[best].text, whole[best].text)
        text = unicodedata.normalize("NFC", letter + ACCENTS[accent.text])
        if len(text) > 1:
            # No alphabet has such a letter: the sign stands for itself.
            continue
        # PDFium tells of a space between the two, and before them.
        spaced = whole[best].gap if abs(best - at) > 1 else NONE
        whole[best] = whole[best]._replace(text=text, gap=spaced)
        gone.add(at)
    return [sign for at, sign in enumerate(whole) if at not in gone]


@functools.lru_cache(maxsize=4096)
def _letter(code: int) -> str:
    if code == HYPHEN:
        return "-"
    if 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return REPLACEMENT
    letter = chr(code)
    control = unicodedata.category(letter) == "Cc" and not letter.isspace()
    return REPLACEMENT if control else letter


def _style(text_page: Any, at: int, frame: Frame) -> Style:
    import pypdfium2.raw as raw

    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(text_page, at, ctypes.byref(matrix))
    dx, dy = frame.direction(matrix.a, matrix.b)
    angle = math.degrees(math.atan2(dy, dx)) % 360
    nearest = round(angle / 90) * 90
    angle = nearest % 360 if abs(angle - nearest) < 3 else angle
    size = raw.FPDFText_GetFontSize(text_page, at) * math.hypot(
        *frame.direction(matrix.c, matrix.d)
    )
    return Style(size or 1.0, angle, _bold(text_page, at), _unseen(text_page, at))


def _bold(text_page: Any, at: int) -> bool:
    import pypdfium2.raw as raw

    if raw.FPDFText_GetFontWeight(text_page, at) >= BOLD_WEIGHT:
        return True
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text_page, at, name, 128, ctypes.byref(flags))
    said = name.value.decode("latin-1").lower()
    return BOLD_NAME.search(said) is not None


def _unseen(text_page: Any, at: int) -> str:
    import pypdfium2.raw as raw

    item = raw.FPDFText_GetTextObject(text_page, at)
    mode = raw.FPDFTextObj_GetTextRenderMode(item) if item else 0
    if mode in (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP):
        return "invisible"
    parts = [ctypes.c_uint() for _ in range(4)]
    strokes = mode in (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)
    read = raw.FPDFText_GetStrokeColor if strokes else raw.FPDFText_GetFillColor
    if not read(text_page, at, *parts):
        return ""
    red, green, blue, alpha = (part.value for part in parts)
    if alpha == 0:
        return "invisible"
    return "white" if min(red, green, blue) >= WHITE else ""
