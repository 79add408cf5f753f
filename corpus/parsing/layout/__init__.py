"""From lines on pages to blocks in reading order: headings, paragraphs, lists, tables, furniture."""

from __future__ import annotations

from corpus.parsing.layout.pages import document_blocks, page_blocks

__all__ = ["document_blocks", "page_blocks"]
