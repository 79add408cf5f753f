"""E-books: the chapters of the spine in reading order, each a web page."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode
from corpus.parsing.html import read_html
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

CONTAINER = "META-INF/container.xml"
PAGES = frozenset({"application/xhtml+xml", "text/html"})
MEMBER_BYTES = 50 * 1024 * 1024


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    blocks: list[Block] = []
    warnings: list[str] = []
    unreadable: list[str] = []
    with zipfile.ZipFile(path) as book:
        if (
            "META-INF/encryption.xml" in book.namelist()
            and "META-INF/rights.xml" in book.namelist()
        ):
            raise UnreadableFile(f"{name} is protected against copying and cannot be read.")
        package = _root(book, CONTAINER).find(".//{*}rootfile").get("full-path")
        opf = _root(book, package)
        for href in _spine(opf):
            chapter = posixpath.normpath(posixpath.join(posixpath.dirname(package), href))
            if chapter not in book.namelist() or book.getinfo(chapter).file_size > MEMBER_BYTES:
                unreadable.append(f"{href}: a chapter that is missing or too large.")
                continue
            _, read, hidden = read_html(decode(book.read(chapter))[0], name)
            blocks += read
            warnings += hidden
    if not blocks:
        raise UnreadableFile(f"No text was found in {name}.")
    title = opf.find(".//{http://purl.org/dc/elements/1.1/}title")
    stated = " ".join("".join(title.itertext()).split()) if title is not None else ""
    return ParsedDocument(
        title=stated or Path(name).stem,
        blocks=tuple(blocks),
        warnings=tuple(dict.fromkeys(warnings)),
        unreadable=tuple(unreadable),
    )


def _root(book: zipfile.ZipFile, member: str) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    return etree.fromstring(book.read(member), parser)


def _spine(opf: Any) -> list[str]:
    """The chapters' places in the archive, in reading order."""
    items = {
        item.get("id"): unquote(item.get("href", ""))
        for item in opf.iterfind(".//{*}manifest/{*}item")
        if item.get("media-type") in PAGES
    }
    order = [ref.get("idref") for ref in opf.iterfind(".//{*}spine/{*}itemref")]
    return [items[key].partition("#")[0] for key in order if key in items]
