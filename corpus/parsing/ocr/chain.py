"""The engines in their order: the first that is there and has weights for the page's language."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from corpus.parsing.lines import Line, PageLines
from corpus.parsing.ocr import configuration
from corpus.parsing.ocr.rules import rules
from corpus.parsing.ocr.straighten import sheet, straighten
from corpus.parsing.ocr.values import NotRead, Reading
from engines.language import detect

if TYPE_CHECKING:
    from corpus.parsing.ocr.straighten import Straight
    from corpus.parsing.ocr.values import Engine, Picture, Seen

# A new engine is a file beside this and a line here.
ENGINES = {
    "server": "corpus.parsing.ocr.server",
    "easyocr": "corpus.parsing.ocr.easyocr",
    "rapidocr": "corpus.parsing.ocr.rapidocr",
    "tesseract": "corpus.parsing.ocr.tesseract",
}
# Fewer words do not tell a language.
TELLING = 12
# The share of a box's height that a letter with its accents and tails takes.
LETTER = 0.8
SPECK = 0.7


def read_page(
    picture: Picture, *, number: int, width: float, height: float, language: str = ""
) -> PageLines:
    """Read a picture of a page.

    `picture` is height × width × 3 (BGR); `width` and `height` are the page's in points. `language`
    (a code of engines.language) is a hint from the pages before: without it the first engine reads, and
    when it proves to have no weights for what it has read, the next one reads again. What comes back is
    the page stood upright, in points of that page; its `engine` is empty when no engine could read, and
    `note` says what went wrong on the way.
    """
    straight = straighten(picture)
    wide, high = sheet(width, height, straight.turn)
    if not straight.line:
        return PageLines(number, wide, high, (), engine="", note="no text is to be seen on it")
    name, reading, notes = _read(straight.picture, language)
    scale = wide / straight.picture.shape[1]
    return PageLines(
        number,
        wide,
        high,
        tuple(_line(item, scale) for item in reading.seen if not _speck(item)),
        rules=rules(straight.picture, straight.line, scale),
        engine=name,
        confidence=reading.confidence,
        note="; ".join([*_turned(straight), *notes]),
        markdown=reading.markdown,
        turn=straight.turn,
    )


def _read(picture: Picture, language: str) -> tuple[str, Reading, list[str]]:
    """The engine that read, what it read, and why others did not. A reading by an engine that lacks
    weights for the language is kept for the case that no other can read."""
    notes: list[str] = []
    poor: tuple[str, Reading] | None = None
    for name in configuration.order():
        if name not in ENGINES:
            notes.append(f"there is no OCR engine {name}")
            continue
        engine = _engine(name)
        if engine.missing(""):
            continue
        if lacking := engine.missing(language):
            notes.append(lacking)
            continue
        try:
            reading = engine.read(picture, language)
        except NotRead as error:
            notes.append(str(error))
            continue
        told = language or _language(reading.text)
        lacking = engine.missing(told)
        if not lacking:
            return name, reading, notes
        notes.append(lacking)
        language, poor = told, poor or (name, reading)
    name, reading = poor or ("", Reading(()))
    return name, reading, notes


def _engine(name: str) -> Engine:
    return cast("Engine", importlib.import_module(ENGINES[name]))


def _language(text: str) -> str:
    """The language of what was read; empty when it is too little to tell."""
    return detect(text) if len(text.split()) >= TELLING else ""


def _line(item: Seen, scale: float) -> Line:
    return Line(
        item.text,
        item.left * scale,
        item.top * scale,
        item.right * scale,
        item.bottom * scale,
        size=(item.bottom - item.top) * scale * LETTER,
        confidence=item.confidence,
    )


def _speck(item: Seen) -> bool:
    """A single sign that the engine is not sure of: dust, or a piece of a drawing."""
    letters = sum(sign.isalnum() for sign in item.text)
    return letters < 2 and item.confidence is not None and item.confidence < SPECK


def _turned(straight: Straight) -> list[str]:
    return [f"turned by {round(straight.turn)}° to be read"] if abs(straight.turn) >= 1 else []
