"""Web pages. No style sheet is applied and nothing is fetched."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode
from corpus.parsing.hidden import quoted
from corpus.parsing.htmlwalk import Walk
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bs4 import BeautifulSoup
    from bs4.element import Tag

DROPPED = (
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "iframe",
    "object",
    "annotation",
    "head",
)
DEPTH = 500
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*?(/?)>")
# They end by themselves where the next begins, so that counting them would see depth where none is.
FLAT = frozenset(
    {"br", "hr", "img", "meta", "link", "input", "p", "li", "td", "th", "tr", "dt", "dd", "option"}
    | {"col", "wbr", "source", "area", "base"}
)
CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
UNSEEN = (
    (re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE), "not displayed"),
    (re.compile(r"(?<![\w-])opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)", re.IGNORECASE), "see-through"),
    (re.compile(r"font-size\s*:\s*[01](?:\.\d+)?(?:px|pt)?\s*(?:;|$)", re.IGNORECASE), "tiny"),
)
WHITE = re.compile(
    r"(?<![\w-])color\s*:\s*(?:white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\))",
    re.IGNORECASE,
)
# An icon's name is no hidden message.
HIDDEN_WORDS = 3


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    text, warning = _decoded(path.read_bytes())
    title, blocks, hidden = read_html(text, name)
    return ParsedDocument(
        title=title or Path(name).stem,
        blocks=blocks,
        warnings=tuple(([warning] if warning else []) + hidden),
    )


def read_html(text: str, name: str) -> tuple[str, tuple[Block, ...], list[str]]:
    """The page's title (may be empty), its blocks, and warnings that quote hidden text.

    Raises UnreadableFile when its elements nest too deep.
    """
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    # XHTML is read as HTML: browsers do, and the other parser refuses what is not well-formed.
    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)
    if _depth(text) > DEPTH:
        raise UnreadableFile(
            f"{name} nests its elements more than {DEPTH} deep and is refused."
            " Copy its text into a new file."
        )
    soup = BeautifulSoup(text.replace("\x00", " "), "lxml")
    title = " ".join(soup.title.get_text(" ").split()) if soup.title else ""
    for element in soup(DROPPED):
        element.decompose()
    hidden = _hidden(soup)
    return title, tuple(Walk().read(soup.body or soup)), hidden


def _depth(text: str) -> int:
    """An upper bound of the nesting, from counting tags: cheap, and safe on hostile input."""
    deepest = depth = 0
    for match in TAG.finditer(text):
        if match[2].lower() in FLAT:
            continue
        depth = max(0, depth + (-1 if match[1] else 0 if match[3] else 1))
        deepest = max(deepest, depth)
    return deepest


def _decoded(data: bytes) -> tuple[str, str]:
    """Valid UTF-8 is taken for it; else what the page states of itself counts before a guess."""
    text, warning = decode(data)
    stated = CHARSET.search(data[:4096])
    if warning and stated:
        try:
            return data.decode(stated[1].decode("ascii")), ""
        except (LookupError, UnicodeDecodeError):
            pass
    return text, warning


def _hidden(soup: BeautifulSoup) -> list[str]:
    """Take out what a browser would not show, and say what it was; what is white on white stays."""
    found: dict[str, str] = {}
    for element in soup.find_all(_unseen):
        if element.decomposed:
            continue
        text = " ".join(element.get_text(" ").split())
        if len(text.split()) >= HIDDEN_WORDS:
            found.setdefault(text, f"left out: {_why(element)}")
        element.decompose()
    for element in soup.find_all(style=WHITE):
        text = " ".join(element.get_text(" ").split())
        if text and not any(
            "background" in _style(holder) for holder in (element, *element.parents)
        ):
            found.setdefault(text, "white")
    return quoted(found)


def _unseen(element: Tag) -> bool:
    return bool(_why(element)) and element.name not in {"html", "body"}


def _why(element: Tag) -> str:
    if element.has_attr("hidden"):
        return "not displayed"
    if element.get("aria-hidden") == "true":
        return "hidden from readers"
    style = _style(element)
    return next((why for pattern, why in UNSEEN if pattern.search(style)), "") if style else ""


def _style(element: Tag) -> str:
    ground = "background" if element.attrs and element.get("bgcolor") else ""
    return f"{element.get('style') or ''}{ground}" if element.attrs else ""
