"""Text tables and workbooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.tabular.options import read_options
from corpus.tabular.summary import describe
from corpus.tabular.text import read_text_table
from corpus.tabular.wide import parts
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.tabular.grid import Found
    from corpus.values import ParsedTable

# Zip (xlsx, xlsb, ods) and the compound file (xls, and any workbook under a password).
BOOKS = (b"PK", b"\xd0\xcf\x11\xe0")


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    """Every table of the file, each with a summary, and the text that stands around them."""
    chosen = read_options(name, options)
    title = Path(name).stem
    with path.open("rb") as handle:
        head = handle.read(4)
    found: list[Found]
    if head.startswith(BOOKS):
        from corpus.tabular.workbook import read_workbook

        found = read_workbook(path, name, title, chosen)
    else:
        found = [read_text_table(path, name, title, chosen)]
    warnings = tuple(warning for item in found for warning in item.warnings)
    blocks: list[Block] = []
    tables: list[ParsedTable] = []
    for item in found:
        own = [] if item.table is None else parts(item.table)
        tables += own
        blocks += [Block("summary", describe(table)) for table in own]
        if item.notes:
            blocks.append(Block("paragraph", "\n".join(item.notes)))
    if not tables and (not blocks or not head.startswith(BOOKS)):
        raise UnreadableFile(f"{name} holds no table that can be read: {'; '.join(warnings)}.")
    return ParsedDocument(
        title=title, blocks=tuple(blocks), tables=tuple(tables), warnings=warnings
    )
