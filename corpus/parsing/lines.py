"""What the text layer and OCR both yield, and the layout takes: lines of text and ruled lines of a page."""

from __future__ import annotations

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
    """A page before its layout is read. `engine` is "text" or an OCR engine, as in ParsedPage."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    rules: tuple[Rule, ...] = ()
    engine: str = "text"
    confidence: float | None = None
    note: str = ""
    label: str = ""

    def place(self, left: float, top: float, right: float, bottom: float) -> Place:
        """Points to shares of the page, kept inside it."""

        def share(value: float, whole: float) -> float:
            return round(min(1.0, max(0.0, value / whole if whole else 0.0)), 4)

        return Place(
            share(left, self.width),
            share(top, self.height),
            share(right, self.width),
            share(bottom, self.height),
        )
