"""A model server that reads pages (GLM-OCR) over the OpenAI protocol with pictures."""

from __future__ import annotations

import itertools
import re
import time
import zlib
from typing import TYPE_CHECKING

from corpus.parsing.ocr import configuration
from corpus.parsing.ocr.values import NotRead, Reading, Seen

if TYPE_CHECKING:
    from corpus.parsing.ocr.values import Picture

# Pixels of the longer side: more costs the server tokens and shows it no more.
LONGEST, QUALITY = 2048, 90
# A server that failed is left alone for this long: a document of many pages must not wait for each.
PAUSE_SECONDS = 120.0
FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)
WEB_PAGE = re.compile(r"\A\s*(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE)
# Text of a page packs to a third; what packs better than this says the same again and again.
PACKS, PACKS_FROM = 12, 400
AGAIN = 12

_asked_again: dict[str, float] = {}


def missing(language: str) -> str:
    """A server reads every language that its model knows: only an address is needed."""
    return "" if configuration.server()["base_url"] else "no OCR server is set (OCR_URL)"


def read(picture: Picture, language: str) -> Reading:
    import cv2

    from engines.errors import EngineError, EngineReplyInvalid
    from engines.ocr_protocol import OpenAIReader

    chosen = configuration.server()
    url = chosen["base_url"]
    if time.monotonic() < _asked_again.get(url, 0.0):
        raise NotRead(f"the OCR server at {url} failed shortly before and was not asked")
    scale = min(1.0, LONGEST / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, encoded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    try:
        said = OpenAIReader(chosen).read(encoded.tobytes(), "image/jpeg")
    except EngineError as error:
        if not isinstance(error, EngineReplyInvalid):
            _asked_again[url] = time.monotonic() + PAUSE_SECONDS
        raise NotRead(str(error)) from error
    fenced = FENCE.match(said)
    text = (fenced[1] if fenced else said).strip()
    if wrong := nonsense(text):
        raise NotRead(f"the OCR server at {url} {wrong}")
    return Reading(_spread(text, picture.shape[1], picture.shape[0]), markdown=text)


def nonsense(text: str) -> str:
    """Why an answer cannot be the text of a page; empty when it can."""
    if not text:
        return "gave an empty answer"
    if WEB_PAGE.match(text):
        return "answered with a web page"
    raw = text.encode()
    if len(raw) > PACKS_FROM and len(raw) > PACKS * len(zlib.compress(raw)):
        return "repeated itself"
    lines = [line for line in text.splitlines() if line.strip()]
    run = 1
    for before, line in itertools.pairwise(lines):
        run = run + 1 if line == before else 1
        if run >= AGAIN:
            return "repeated itself"
    return ""


def _spread(text: str, width: int, height: int) -> tuple[Seen, ...]:
    """The lines of the answer one below the other: a server says what it reads, not where."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    step = height / len(lines)
    return tuple(
        Seen(line, 0.0, step * at, float(width), step * (at + 0.8)) for at, line in enumerate(lines)
    )
