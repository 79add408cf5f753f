"""Reading a picture of a page: the first engine that is there and knows the language reads it."""

from __future__ import annotations

from corpus.parsing.ocr.chain import read_page

__all__ = ["read_page"]
