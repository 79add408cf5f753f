"""Pages that an engine has written as Markdown, without telling where anything stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile

if TYPE_CHECKING:
    from corpus.parsing.lines import PageLines
    from corpus.values import Block

DEEP = 60


def written_blocks(page: PageLines) -> list[Block]:
    """The blocks of the page's Markdown, each with the whole page as its place. Empty where it is none."""
    from markdown_it import MarkdownIt

    from corpus.parsing.html import read_html

    reader = MarkdownIt("commonmark", {"html": True, "maxNesting": DEEP}).enable("table")
    try:
        _, blocks, _ = read_html(reader.render(page.markdown), f"page {page.number}")
    except UnreadableFile:
        # Nested without end: its lines are read as they stand.
        return []
    place = page.place(0, 0, page.width, page.height)
    return [replace(block, page=page.number, place=place) for block in blocks]
