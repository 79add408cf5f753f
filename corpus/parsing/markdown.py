"""Markdown, through the HTML that it stands for."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.parsing.decoding import decode
from corpus.parsing.html import read_html
from corpus.parsing.plain import paragraphs
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

# Signs of nesting before a line's text; each level of the reader takes some of Python's stack.
DEEP = 60
FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    from markdown_it import MarkdownIt

    text, warning = decode(path.read_bytes())
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front = FRONT.match(text)
    head = (Block("paragraph", front[1].strip()),) if front and front[1].strip() else ()
    body = text[front.end() :] if front else text
    if _is_deep(body):
        return ParsedDocument(Path(name).stem, (*head, *paragraphs(body)))
    reader = MarkdownIt("commonmark", {"html": True, "maxNesting": DEEP})
    page = reader.enable(["table", "strikethrough"]).render(body)
    _, blocks, hidden = read_html(page, name)
    first = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    return ParsedDocument(
        title=first.text if first else Path(name).stem,
        blocks=(*head, *(_code(block) for block in blocks)),
        warnings=tuple(([warning] if warning else []) + hidden),
    )


def _is_deep(text: str) -> bool:
    """Whether quotes or lists nest deeper than the reader goes: it would drop what is below."""
    for line in text.splitlines():
        said = line.lstrip(" \t>-*+")
        before = line[: len(line) - len(said)]
        if len(before) > DEEP and (said or ">" in before) and before.strip():
            return True
    return False


def _code(block: Block) -> Block:
    return replace(block, text=block.text.rstrip("\n")) if block.kind == "code" else block
