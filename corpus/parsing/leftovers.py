"""Paragraphs that stand in a Word or PowerPoint file and not in what was read of it: drawings such as
SmartArt, tables that docling cannot take apart. Nothing that a reader sees may vanish."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from corpus.parsing.hidden import A, W, xml_parts
from corpus.values import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")
WORD = re.compile(r"word/(?:document|diagrams/data\d*)\.xml")
DIAGRAM = re.compile(r"ppt/diagrams/data\d*\.xml")
TOKEN = re.compile(r"\w{2,}")


def leftovers(data: bytes, kind: str, blocks: Sequence[Block]) -> list[Block]:
    """Paragraphs of a docx or pptx of whose words at least half stand in no block; none for other kinds.

    By words, since formulas, boxes to tick and hyphens come out otherwise than they are stored.
    """
    if kind not in {"docx", "pptx"}:
        return []
    told = set(TOKEN.findall(" ".join(block.text for block in blocks).casefold()))
    found: dict[str, Block] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for text, page in _paragraphs(archive, kind):
            words = TOKEN.findall(text.casefold())
            if words and sum(word not in told for word in words) * 2 >= len(words):
                found.setdefault(text, Block("paragraph", " ".join(text.split()), page))
    return list(found.values())


def _paragraphs(archive: zipfile.ZipFile, kind: str) -> Iterator[tuple[str, int | None]]:
    names, tags = (WORD, (W, A)) if kind == "docx" else (SLIDE, (A,))
    for names_of in (names,) if kind == "docx" else (names, DIAGRAM):
        for name, root in xml_parts(archive, names_of):
            slide = SLIDE.fullmatch(name)
            for tag in tags:
                for paragraph in root.iter(f"{tag}p"):
                    inner = set(paragraph.iterfind(f".//{tag}p//{tag}t"))
                    runs = paragraph.iter(f"{tag}t", f"{tag}br", f"{tag}tab", f"{tag}cr")
                    text = "".join(node.text or " " for node in runs if node not in inner)
                    if text.strip():
                        yield text, int(slide[1]) if slide else None
