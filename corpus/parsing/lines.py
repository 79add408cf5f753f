"""What the text layer and OCR both yield, and the layout takes: lines of text and ruled lines of a page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from corpus.values import Place


@dataclass(frozen=True, slots=True)
class Line:
    """A run of text on one baseline, not reaching over a gutter or a cell's edge.

    Coordinates are points (1/72 inch) from the page's top left corner, y growing downwards, of the page
    as it is read (rotation and skew taken out). `size` is the height of its letters in points.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool = False
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A drawn line, horizontal or vertical, in points like a Line."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def horizontal(self) -> bool:
        return self.right - self.left >= self.bottom - self.top


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page before its layout is read. `engine` is "text" or an OCR engine, as in ParsedPage.

    `turn` is by how many degrees clockwise the page was turned to stand upright, `width` and `height`
    are those after it. `markdown` is set by an engine that writes a page instead of seeing places: its
    lines then stand in order, but nowhere in particular.
    """

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    rules: tuple[Rule, ...] = ()
    engine: str = "text"
    confidence: float | None = None
    note: str = ""
    label: str = ""
    turn: float = 0.0
    markdown: str = ""

    def place(self, left: float, top: float, right: float, bottom: float) -> Place:
        """Points of the page as it is read to shares of the page as it is shown, kept inside it."""
        cosine, sine = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        # The upright page holds all of the shown one: its size is undone, then the turn about its middle.
        part = cosine * cosine - sine * sine
        wide = (self.width * abs(cosine) - self.height * abs(sine)) / part
        high = (self.height * abs(cosine) - self.width * abs(sine)) / part
        corners = [
            (x - self.width / 2, y - self.height / 2) for x in (left, right) for y in (top, bottom)
        ]
        across = [x * cosine + y * sine + wide / 2 for x, y in corners]
        down = [y * cosine - x * sine + high / 2 for x, y in corners]

        def share(value: float, whole: float) -> float:
            return round(min(1.0, max(0.0, value / whole if whole else 0.0)), 4)

        return Place(
            share(min(across), wide),
            share(min(down), high),
            share(max(across), wide),
            share(max(down), high),
        )
