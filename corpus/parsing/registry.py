"""Which parser reads which type. A new one is a file beside this and a line here."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus.values import ParsedDocument


class Parser(Protocol):
    """Reads one file. Raises UnreadableFile with a reason for the person who brought it.

    `options` are what a person chose against what was recognised: delimiter, encoding, header_row
    (from 1) and numbers ("comma" or "point") of tables. Parsers of other formats take none of them.
    """

    def __call__(self, path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument: ...


PARSERS = {
    "pdf": "corpus.parsing.pdf",
    "docx": "corpus.parsing.docx",
    "xlsx": "corpus.parsing.sheets",
    "csv": "corpus.parsing.sheets",
    "html": "corpus.parsing.html",
    "md": "corpus.parsing.plain",
    "txt": "corpus.parsing.plain",
    "png": "corpus.parsing.image",
    "jpg": "corpus.parsing.image",
    "tiff": "corpus.parsing.image",
    "webp": "corpus.parsing.image",
}
ISOLATED = frozenset({"pdf", "docx", "xlsx", "html", "png", "jpg", "tiff", "webp"})


def parser_for(kind: str) -> Parser:
    """The parser of a type, imported when it is first needed."""
    return cast("Parser", importlib.import_module(PARSERS[kind]).parse)
