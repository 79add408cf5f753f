"""Markdown and plain text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.parsing.decoding import decode
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
MARKS = re.compile(r"(\*\*|__|`)(.+?)\1")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    text, warning = decode(path.read_bytes())
    markdown = Path(name).suffix.lower() in {".md", ".markdown"}
    blocks = tuple(_blocks(text.replace("\x00", " "), markdown=markdown))
    first = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    return ParsedDocument(
        title=first.text if first else Path(name).stem,
        blocks=blocks,
        warnings=(warning,) if warning else (),
    )


def _blocks(text: str, *, markdown: bool) -> list[Block]:
    blocks: list[Block] = []
    lines: list[str] = []
    fenced = False

    def flush() -> None:
        if lines:
            blocks.append(_block(lines, markdown=markdown))
            lines.clear()

    for line in text.splitlines():
        if markdown and line.lstrip().startswith("```"):
            flush() if not fenced else blocks.append(Block("code", "\n".join(lines)))
            if fenced:
                lines.clear()
            fenced = not fenced
            continue
        heading = HEADING.match(line) if markdown and not fenced else None
        if heading:
            flush()
            blocks.append(Block("heading", _bare(heading[2]), level=len(heading[1])))
        elif not line.strip() and not fenced:
            flush()
        else:
            lines.append(line)
    flush()
    return [block for block in blocks if block.text.strip()]


def _block(lines: list[str], *, markdown: bool) -> Block:
    if markdown and len(lines) > 1 and all("|" in line for line in lines):
        rows = [line.strip().strip("|") for line in lines if not re.fullmatch(r"[\s|:-]+", line)]
        return Block("table", "\n".join(rows))
    if BULLET.match(lines[0]):
        return Block("list", "\n".join(_bare(line) if markdown else line for line in lines))
    joined = " ".join(line.strip() for line in lines)
    return Block("paragraph", _bare(joined) if markdown else joined)


def _bare(text: str) -> str:
    """Text without inline marks: what the person reads, so that a quotation can be found again."""
    return MARKS.sub(r"\2", LINK.sub(r"\1", text)).replace("*", "")
