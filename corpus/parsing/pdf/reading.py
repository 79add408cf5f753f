"""One page of a PDF: its text layer judged, OCR asked where the layer is missing or bad, the better kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from corpus.parsing.layout.boxes import Box, inside
from corpus.parsing.lines import PageLines
from corpus.parsing.pdf import scan
from corpus.parsing.pdf.drawings import Drawings, drawings
from corpus.parsing.pdf.forms import field_lines, on_baselines
from corpus.parsing.pdf.frame import Frame, frame_of
from corpus.parsing.pdf.gate import Quality, better, quality
from corpus.parsing.pdf.textlayer import TextLayer, page_signs, text_layer, text_turn
from corpus.values import Block
from engines.language import detect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.lines import Line

# Shares of the page: a picture that is the page, one that may say something.
WHOLE, LARGE, EDGE = 0.6, 0.12, 0.1
# Signs of text beside which a picture that is the page is not read as well, and drawn shapes neither.
LITTLE, HARDLY, SHAPES = 300, 40, 30
# Pictures within text that are read in one document: each costs seconds.
FIGURES = 12
WORD = re.compile(r"[^\W\d_]{2,}")
# Fewer words do not tell a language.
TELLING = 12
BLANK, DOUBTFUL = "blank", "doubtful text layer"


@dataclass(slots=True)
class Reading:
    """A page as it was read. `page.note` says why another reading than the text layer was taken; `lost`
    why nothing was, empty where something was or the page is blank; `outside` counts lines beyond
    the page's edges, which nobody sees and which were left out."""

    page: PageLines
    figures: list[Block] = field(default_factory=list)
    hidden: dict[str, str] = field(default_factory=dict)
    lost: str = ""
    outside: int = 0


@dataclass(slots=True)
class Budget:
    """How many pictures within text may still be read, and how many were not; `language` is that of the
    last page with enough text to tell, a hint for OCR."""

    left: int = FIGURES
    unread: int = 0
    language: str = ""


def read_page(page: Any, number: int, label: str, form: Any, budget: Budget) -> Reading:
    """Read one page of pypdfium2. `form` is the document's form environment or None."""
    frame = frame_of(page)
    found = page_signs(page, frame)
    turn = text_turn(found)
    if turn:
        frame = frame.turned(turn)
        found = page_signs(page, frame)
    drawn = drawings(page, frame)
    layer = text_layer(found, drawn)
    whole = Box(0.0, 0.0, frame.width, frame.height)
    seen = [line for line in layer.lines if inside(line, whole)]
    outside = len(layer.lines) - len(seen)
    layer.hidden = [held for held in layer.hidden if inside(held[0], whole)]
    lines = (*seen, *on_baselines(field_lines(page, form, frame), seen))
    own = PageLines(
        *(number, frame.width, frame.height, lines, tuple(drawn.rules)),
        label=label,
        turn=90.0 * frame.turn,
    )
    hidden = {} if _over_scan(layer, drawn, frame) else _hidden(layer, page, frame)
    judged = quality(_text(lines), layer.broken)
    reading = Reading(own, hidden=hidden, outside=outside)
    if judged.fault or _wants_ocr(own, judged, layer, drawn, budget):
        _by_ocr(reading, page, frame, judged, drawn, budget)
    else:
        _read_figures(reading, page, frame, drawn, budget)
    text = _text(reading.page.lines)
    if len(text.split()) >= TELLING:
        budget.language = detect(text)
    return reading


def _hidden(layer: TextLayer, page: Any, frame: Frame) -> dict[str, str]:
    """What nobody sees, by the text. White text is looked for on the drawn page: its ground may be of a
    kind that cannot be told otherwise."""
    picture = None
    found: dict[str, str] = {}
    for line, why in layer.hidden:
        if why == "white":
            picture = scan.rendered(page, frame) if picture is None else picture
            if scan.shows(picture, line, frame):
                continue
        found.setdefault(line.text, why)
    return found


def _text(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)


def _cover(drawn: Drawings, page: PageLines) -> float:
    """The share of the page that its largest picture takes."""
    return max((box.area for box in drawn.pictures), default=0.0) / (page.width * page.height or 1)


def _over_scan(layer: TextLayer, drawn: Drawings, frame: Frame) -> bool:
    """Whether the unseen text is that of a scan made searchable."""
    return layer.invisible > 0.5 and sum(box.area for box in drawn.pictures) > (
        frame.width * frame.height * 0.4
    )


def _wants_ocr(
    page: PageLines, judged: Quality, layer: TextLayer, drawn: Drawings, budget: Budget
) -> bool:
    """Whether a page with sound text holds more than that: a picture of a page, or text as shapes."""
    if judged.signs < HARDLY and drawn.shapes >= SHAPES:
        return True
    if judged.signs >= LITTLE or layer.invisible > 0.5 or _cover(drawn, page) < WHOLE:
        return False
    if judged.signs < HARDLY or all(_at_edge(line, page) for line in page.lines):
        # A scan with a stamp or a page number over it.
        return True
    # A slide before a picture.
    if budget.left <= 0:
        budget.unread += 1
        return False
    budget.left -= 1
    return True


def _at_edge(line: Line, page: PageLines) -> bool:
    return line.bottom < page.height * EDGE or line.top > page.height * (1 - EDGE)


def _by_ocr(
    reading: Reading, page: Any, frame: Frame, judged: Quality, drawn: Drawings, budget: Budget
) -> None:
    """Read the page's picture; keep it, the text layer, or both."""
    own = reading.page
    empty = not own.lines
    if empty and not drawn.pictures and not drawn.shapes and not drawn.grounds:
        reading.page = replace(own, note=BLANK)
        return
    picture = scan.rendered(page, frame)
    if empty and scan.blank(picture):
        reading.page = replace(own, note=BLANK)
        return
    seen = scan.read(picture, frame, own.number, budget.language)
    told = quality(_text(seen.lines))
    if not judged.fault:
        _beside(reading, seen)
    elif seen.lines and (better(told, judged) or not judged.signs):
        # The text layer's ruled lines are those of the page before OCR turned it.
        rules = seen.rules or (own.rules if seen.turn == own.turn else ())
        why = "" if empty else f"text layer not used: {judged.fault}"
        note = "; ".join(filter(None, (why, seen.note)))
        reading.page = replace(seen, rules=rules, label=own.label, note=note)
    elif empty or judged.sound < 0.5:
        reading.page = replace(own, lines=(), note=seen.note)
        why = "" if empty else f": {judged.fault}"
        reading.lost = f"no text could be read{why}"
    else:
        reading.page = replace(own, note=f"{DOUBTFUL}: {judged.fault}")


def _beside(reading: Reading, seen: PageLines) -> None:
    """Put what the picture says beside the text layer's lines."""
    own = reading.page
    level = seen.turn == own.turn
    more = scan.without(seen.lines, own.lines) if level else list(seen.lines)
    text = _text(more)
    if len(WORD.findall(text)) < 2:
        return
    mostly = len(text) > len(_text(own.lines))
    reading.page = replace(
        own,
        lines=(*own.lines, *more) if level else own.lines,
        engine=seen.engine if mostly else own.engine,
        confidence=seen.confidence if mostly else None,
        note=f"text in the picture read by {seen.engine}",
    )
    if not level:
        # The picture lies otherwise than the text over it: places on the one are none on the other.
        place = own.place(0, 0, own.width, own.height)
        reading.figures.append(Block("figure", text, own.number, place=place))


def _read_figures(
    reading: Reading, page: Any, frame: Frame, drawn: Drawings, budget: Budget
) -> None:
    """Text in pictures that stand among the text, each as a block of its own."""
    wanted = _figures(reading.page, drawn, frame)
    if not wanted:
        return
    if budget.left <= 0:
        budget.unread += len(wanted)
        return
    picture = scan.rendered(page, frame)
    for box in wanted:
        if budget.left <= 0:
            budget.unread += 1
            continue
        budget.left -= 1
        seen = scan.read_part(picture, box, frame, reading.page.number, budget.language)
        text = _text(seen.lines)
        if len(WORD.findall(text)) >= 2:
            place = reading.page.place(box.left, box.top, box.right, box.bottom)
            reading.figures.append(Block("figure", text, reading.page.number, place=place))
            reading.page = replace(reading.page, note=f"text in a picture read by {seen.engine}")


def _figures(page: PageLines, drawn: Drawings, frame: Frame) -> list[Box]:
    """Pictures that are large enough to say something and bear no text of the layer."""
    whole = frame.width * frame.height
    found: list[Box] = []
    for box in sorted(drawn.pictures, key=lambda box: -box.area):
        if not whole * LARGE <= box.area or any(inside(box, held) for held in found):
            continue
        if sum(len(line.text) for line in page.lines if inside(line, box)) < HARDLY:
            found.append(box)
    return found
