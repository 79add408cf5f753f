"""The text layer of a page of a PDF as lines: signs to pieces, pieces of one baseline to lines."""

from __future__ import annotations

import bisect
import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus.parsing.layout.boxes import level, rows
from corpus.parsing.lines import Line
from corpus.parsing.pdf.signs import GUESSED, WRITTEN, Sign, signs, with_accents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from corpus.parsing.pdf.drawings import Drawings
    from corpus.parsing.pdf.frame import Frame

# In letter sizes: a wider gap than WIDE stands between columns, a wider one than SPACE between words.
WIDE, SPACE, TWICE = 0.95, 0.18, 0.15
HARDLY_SPACE, INITIAL = 0.06, 1.7
ASCENT, DESCENT = 0.78, 0.22
TINY_POINTS = 2.0
# Arabic and Hebrew run from right to left, in PDFium's order of reading.
RIGHT_TO_LEFT = (("\u0590", "\u08ff"), ("\ufb1d", "\ufdff"), ("\ufe70", "\ufeff"))


@dataclass(slots=True)
class TextLayer:
    """`turn` is by how many quarters, clockwise, the page must be turned for most of its text to run
    across. `broken` is the share of signs without a letter. `hidden` holds lines that nobody sees, with
    the reason; `invisible` is the share of signs set without ink, as over a scan."""

    lines: list[Line] = field(default_factory=list)
    turn: int = 0
    broken: float = 0.0
    hidden: list[tuple[Line, str]] = field(default_factory=list)
    invisible: float = 0.0


@dataclass(slots=True)
class _Piece:
    held: list[Sign]

    @property
    def last(self) -> Sign:
        return self.held[-1]


def text_turn(found: Sequence[Sign]) -> int:
    """Quarters to turn the page clockwise, by the direction that most of its signs are read in."""
    quarters = Counter(round(sign.style.angle / 90) % 4 for sign in found)
    return -quarters.most_common(1)[0][0] % 4 if quarters else 0


def page_signs(page: Any, frame: Frame) -> list[Sign]:
    """All signs of a page, its text page closed again."""
    text_page = page.get_textpage()
    try:
        return with_accents(list(signs(text_page, frame)))
    finally:
        text_page.close()


def text_layer(found: Sequence[Sign], drawn: Drawings) -> TextLayer:
    """The layer's lines in the points of the frame that the signs were read in."""
    if not found:
        return TextLayer()
    fences = _Fences(drawn)
    pieces = _pieces(found, fences)
    layer = TextLayer(
        broken=sum(sign.broken for sign in found) / len(found),
        invisible=sum(sign.style.unseen == "invisible" for sign in found) / len(found),
    )
    across: list[Line] = []
    other: list[Line] = []
    for piece in pieces:
        line = _line(piece)
        if line is None:
            continue
        _note_hidden(piece, line, drawn, layer)
        (across if piece.last.style.angle == 0 else other).append(line)
    layer.lines = _joined(across, fences) + other
    return layer


class _Fences:
    """Upright ruled lines, to tell whether one stands between two pieces."""

    def __init__(self, drawn: Drawings) -> None:
        upright = sorted(
            (rule for rule in drawn.rules if not rule.horizontal), key=lambda rule: rule.left
        )
        self.rules = upright
        self.places = [(rule.left + rule.right) / 2 for rule in upright]

    def between(self, left: float, right: float, y: float) -> bool:
        first = bisect.bisect_left(self.places, left)
        last = bisect.bisect_right(self.places, right)
        return any(rule.top <= y <= rule.bottom for rule in self.rules[first:last])


def _pieces(found: Iterable[Sign], fences: _Fences) -> list[_Piece]:
    """Signs that follow each other on a baseline without a wide gap."""
    pieces: list[_Piece] = []
    for sign in found:
        if pieces and _follows(pieces[-1].last, sign, fences):
            if not _again(pieces[-1].last, sign):
                pieces[-1].held.append(sign)
        else:
            pieces.append(_Piece([sign]))
    return pieces


def _follows(last: Sign, sign: Sign, fences: _Fences) -> bool:
    if last.style.angle != sign.style.angle:
        return False
    size = max(last.style.size, sign.style.size)
    if abs(sign.base - last.base) > size * 0.4:
        return False
    if leftwards(last.text) or leftwards(sign.text):
        return max(sign.start - last.end, last.start - sign.end) < size * 4
    gap = sign.start - last.end
    slanted = last.style.angle % 90 != 0
    if not -size * (1 if slanted else 0.5) <= gap < size * WIDE:
        return False
    turned = last.style.angle != 0
    return gap <= 0 or turned or not fences.between(last.end, sign.start, sign.base - size * 0.3)


def leftwards(sign: str) -> bool:
    """Whether a sign is of a script that runs from right to left."""
    return sign >= RIGHT_TO_LEFT[0][0] and any(low <= sign <= high for low, high in RIGHT_TO_LEFT)


def _again(last: Sign, sign: Sign) -> bool:
    """Whether the same sign was drawn twice in one place, to look bold."""
    return (
        last.text == sign.text
        and abs(sign.start - last.start) < last.style.size * TWICE
        and abs(sign.base - last.base) < last.style.size * TWICE
    )


def _line(piece: _Piece) -> Line | None:
    text = piece.held[0].text
    for last, sign in itertools.pairwise(piece.held):
        text += (" " if _spaced(last, sign) else "") + sign.text
    text = text.replace("‘‘", "“").replace("’’", "”")
    if not text.strip():
        return None
    sizes = Counter(round(sign.style.size, 2) for sign in piece.held)
    size = sizes.most_common(1)[0][0]
    bold = sum(sign.style.bold for sign in piece.held) * 2 > len(piece.held)
    first, angle = piece.held[0], piece.last.style.angle
    start = min(sign.start for sign in piece.held)
    end = max(sign.end for sign in piece.held)
    if angle == 0:
        base = first.base
        return Line(text, start, base - size * ASCENT, end, base + size * DESCENT, size, bold)
    if angle % 90:
        # A slanted label stands over the place where it begins.
        rise = abs(math.sin(math.radians(angle))) * (end - start)
        return Line(text, first.x, first.y - max(rise, size), first.x + size, first.y, size, bold)
    cosine, sine = round(math.cos(math.radians(angle))), round(math.sin(math.radians(angle)))
    corners = [
        (along * cosine - across * sine, along * sine + across * cosine)
        for along in (start, end)
        for across in (first.base - size * ASCENT, first.base + size * DESCENT)
    ]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Line(text, min(xs), min(ys), max(xs), max(ys), size, bold)


def _spaced(last: Sign, sign: Sign) -> bool:
    """Whether a space stands between two signs of a piece."""
    gap = max(sign.start - last.end, last.start - sign.end) / sign.style.size
    if sign.style.angle % 90:
        # PDFium sees spaces within slanted words.
        return gap > SPACE
    return sign.gap == WRITTEN or gap > SPACE or (sign.gap == GUESSED and gap > HARDLY_SPACE)


def _note_hidden(piece: _Piece, line: Line, drawn: Drawings, layer: TextLayer) -> None:
    style = piece.last.style
    why = style.unseen
    if why == "white" and drawn.ground(line):
        why = ""
    if not why and line.size < TINY_POINTS and len(line.text) > 2:
        why = "tiny"
    if why:
        layer.hidden.append((line, why))


def _joined(lines: Sequence[Line], fences: _Fences) -> list[Line]:
    """Neighbours on one row become one line where neither a gap nor a ruled line parts them."""
    joined: list[Line] = []
    for row in rows(lines):
        signs_in_row = "".join(line.text for line in row)
        backwards = sum(map(leftwards, signs_in_row)) * 2 > len(signs_in_row)
        run: list[Line] = []
        for line in row:
            if run and not _touching(run[-1], line, fences):
                joined.append(_one(run, backwards))
                run = []
            if run and _drawn_again(run[-1], line):
                continue
            run.append(line)
        if run:
            joined.append(_one(run, backwards))
    return joined


def _touching(last: Line, line: Line, fences: _Fences) -> bool:
    size = max(last.size, line.size)
    gap = line.left - last.right
    if not level(last, line) or gap >= size * WIDE or _initial(last, line):
        return False
    if gap < -size * WIDE and not _drawn_again(last, line):
        return False
    middle = (last.top + last.bottom) / 2
    return gap <= 0 or not fences.between(last.right, line.left, middle)


def _initial(last: Line, line: Line) -> bool:
    """Whether the first is a large letter that reaches over several lines, of which this is one."""
    return len(last.text) <= 2 and last.text.isupper() and last.size > line.size * INITIAL


def _drawn_again(last: Line, line: Line) -> bool:
    return last.text == line.text and abs(last.left - line.left) < last.size * TWICE


def _one(run: Sequence[Line], backwards: bool) -> Line:
    if len(run) == 1:
        return run[0]
    ordered = list(reversed(run)) if backwards else list(run)
    text = ordered[0].text
    for last, line in itertools.pairwise(ordered):
        gap = last.left - line.right if backwards else line.left - last.right
        text += (" " if gap > max(last.size, line.size) * SPACE else "") + line.text
    widest = max(run, key=lambda line: len(line.text))
    signs_bold = sum(len(line.text) for line in run if line.bold)
    return Line(
        text,
        min(line.left for line in run),
        widest.top,
        max(line.right for line in run),
        widest.bottom,
        widest.size,
        signs_bold * 2 > len(text),
    )
