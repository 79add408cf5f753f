from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVEL = re.compile(r"(?:heading|t[ií]tulo)\s*(\d)", re.IGNORECASE)


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from docx.table import Table

    try:
        document = docx.Document(str(path))
    except (PackageNotFoundError, KeyError, ValueError) as error:
        raise UnreadableFile(
            f"{name} is damaged or protected: Word's parts are missing."
        ) from error
    blocks: list[Block] = []
    title = ""
    for item in document.iter_inner_content():
        if isinstance(item, Table):
            rows = [" | ".join(cell.text.strip() for cell in row.cells) for row in item.rows]
            blocks.append(Block("table", "\n".join(row for row in rows if row.strip(" |"))))
            continue
        text = item.text.strip()
        if not text:
            continue
        style = (item.style.name if item.style is not None else "") or ""
        level = LEVEL.search(style)
        if style == "Title" or level:
            # A line break inside a heading begins the text that was meant to stand below it.
            heading, _, text = text.partition("\n")
            title = title or heading
            blocks.append(Block("heading", heading, level=int(level[1]) if level else 1))
        if text.strip():
            blocks.append(Block("list" if "list" in style.lower() else "paragraph", text))
    return ParsedDocument(title=title or Path(name).stem, blocks=tuple(blocks))
