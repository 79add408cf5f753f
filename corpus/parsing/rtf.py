"""Rich text (.rtf): its paragraphs and tables. It names no headings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.parsing.grids import table_block
from corpus.parsing.plain import paragraphs
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

CODE_PAGE = re.compile(r"\\ansicpg(\d+)")
HIDDEN = re.compile(r"\\v(?![a-z0-9])")
ROW = re.compile(r".*\|\s*$")


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    from striprtf.striprtf import rtf_to_text

    # RTF is ASCII; what is not is a fault that any one-byte code page lets pass.
    source = path.read_bytes().decode("latin-1").rstrip("\x00")
    page = CODE_PAGE.search(source)
    convert: Any = rtf_to_text  # It states no types.
    text = convert(source, encoding=f"cp{page[1]}" if page else "cp1252", errors="replace")
    blocks = _blocks(text.replace("\x00", " "))
    warnings = (
        ("Hidden text (marked hidden) may be among the text.",) if HIDDEN.search(source) else ()
    )
    return ParsedDocument(title=Path(name).stem, blocks=tuple(blocks), warnings=warnings)


def _blocks(text: str) -> list[Block]:
    """In RTF a line is a paragraph; rows of tables come as cells that each end with a bar."""
    blocks: list[Block] = []
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if ROW.match(line):
            rows.append([cell.strip() for cell in line.rstrip()[:-1].split("|")])
            continue
        if rows:
            block = table_block(rows)
            blocks += [block] if block.grid else []
            rows = []
        blocks += paragraphs(line)
    return blocks
