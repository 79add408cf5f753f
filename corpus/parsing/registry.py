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
    "docx": "corpus.parsing.office",
    "pptx": "corpus.parsing.office",
    "odt": "corpus.parsing.office",
    "odp": "corpus.parsing.office",
    "doc": "corpus.parsing.office",
    "ppt": "corpus.parsing.office",
    "adoc": "corpus.parsing.office",
    "rtf": "corpus.parsing.rtf",
    "epub": "corpus.parsing.epub",
    "xlsx": "corpus.parsing.sheets",
    "xls": "corpus.parsing.sheets",
    "ods": "corpus.parsing.sheets",
    "csv": "corpus.parsing.sheets",
    "html": "corpus.parsing.html",
    "md": "corpus.parsing.markdown",
    "rst": "corpus.parsing.rst",
    "txt": "corpus.parsing.plain",
    "eml": "corpus.parsing.mail",
    "msg": "corpus.parsing.outlook",
    "zip": "corpus.parsing.archive",
    "code": "corpus.parsing.code",
    "sqlite": "corpus.parsing.database",
    "duckdb": "corpus.parsing.database",
    "png": "corpus.parsing.image",
    "jpg": "corpus.parsing.image",
    "tiff": "corpus.parsing.image",
    "webp": "corpus.parsing.image",
    "gif": "corpus.parsing.image",
    "bmp": "corpus.parsing.image",
}
# Read in linear time by our own few lines: the start of a child would cost more than the reading.
SIMPLE = frozenset({"txt", "rst", "md", "csv"})
SIMPLE_BYTES = 100_000


def parser_for(kind: str) -> Parser:
    """The parser of a type, imported when it is first needed."""
    return cast("Parser", importlib.import_module(PARSERS[kind]).parse)
