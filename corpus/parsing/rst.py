"""reStructuredText: headings by their underlines, lists, code, tables; marks taken off the text."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from corpus.parsing.decoding import decode
from corpus.parsing.grids import table_block
from corpus.parsing.plain import paragraphs
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

RULE = re.compile(r"([=\-`:.'\"~^_*+#<>!$%&(),/;?@\[\]\\{|}])\1{2,}\s*$")
SIMPLE = re.compile(r"=+(?:\s+=+)+\s*$")
BORDER = re.compile(r"\+(?:[-=]+\+)+\s*$")
CODE = re.compile(r"\s*\.\.\s+(?:code|code-block|sourcecode|literalinclude|parsed-literal)::")
DIRECTIVE = re.compile(r"\s*\.\.\s+(?:\[|_|\|)?[\w-]+(?:::|:|\])?")
OPTION = re.compile(r"\s*:[\w-]+:")
MARKS = (
    (re.compile(r":[\w:+.-]+:`([^`<]+?)(?:\s*<[^`>]*>)?`"), r"\1"),
    (re.compile(r"``(.+?)``"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*(?:<[^`>]*>)?`_{0,2}"), r"\1"),
    (re.compile(r"(?<!\w)(\*\*|\*)(\S(?:.*?\S)?)\1(?!\w)"), r"\2"),
    (re.compile(r"(?<=\w)_(?=[\s.,;:)]|$)"), ""),
)


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    text, warning = decode(path.read_bytes())
    blocks = _blocks(text.lstrip("\ufeff").replace("\x00", " ").expandtabs(8).splitlines())
    first = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    return ParsedDocument(
        title=first.text if first else Path(name).stem,
        blocks=tuple(blocks),
        warnings=(warning,) if warning else (),
    )


def _blocks(lines: list[str]) -> list[Block]:
    blocks: list[Block] = []
    held: list[str] = []
    styles: list[str] = []
    at = 0

    def flush() -> None:
        blocks.extend(Block(block.kind, _bare(block.text)) for block in paragraphs("\n".join(held)))
        held.clear()

    while at < len(lines):
        line = lines[at]
        after = lines[at + 1] if at + 1 < len(lines) else ""
        table = _table(lines, at)
        if table is not None:
            flush()
            block, at = table
            blocks.append(block)
        elif line.strip() and not held and _underlined(line, after):
            over = bool(at and RULE.match(lines[at - 1]))
            style = after[0] + ("over" if over else "")
            if style not in styles:
                styles.append(style)
            blocks.append(Block("heading", _bare(line.strip()), level=styles.index(style) + 1))
            at += 2
        elif CODE.match(line) or (line.rstrip().endswith("::") and not DIRECTIVE.match(line)):
            if not CODE.match(line) and line.strip() != "::":
                held.append(line.rstrip()[:-1])
            flush()
            at = _code(lines, at + 1, blocks)
        elif DIRECTIVE.match(line) and not line.lstrip().startswith(".. ["):
            flush()
            # A directive's own words: the note's text, the figure's caption.
            held.append(line.partition("::")[2].strip() if "::" in line else "")
            at += 1
        else:
            if not (RULE.match(line) or OPTION.match(line)):
                held.append(line)
            if not line.strip():
                flush()
            at += 1
    flush()
    return blocks


def _underlined(line: str, after: str) -> bool:
    ruled = RULE.match(after) is not None and not RULE.match(line)
    return ruled and len(after.rstrip()) >= len(line.strip()) and not line.startswith(" " * 4)


def _code(lines: list[str], at: int, blocks: list[Block]) -> int:
    """Take the indented lines that follow as code; gives the number of the line after them."""
    start = at
    while at < len(lines) and (not lines[at].strip() or lines[at][:1] == " "):
        at += 1
    taken = [line for line in lines[start:at] if not OPTION.match(line)]
    text = dedent("\n".join(taken)).strip("\n").rstrip()
    if text.strip():
        blocks.append(Block("code", text))
    return at


def _table(lines: list[str], at: int) -> tuple[Block, int] | None:
    """A grid or simple table that begins here, with the number of the line after it."""
    simple, bordered = SIMPLE.match(lines[at]), BORDER.match(lines[at])
    if not simple and not bordered:
        return None
    sign = "=" if simple else "-="
    edges = [match.span() for match in re.finditer(rf"[{sign}]+", lines[at])]
    rows: list[list[str]] = []
    end, rules, fresh = at, 0, True
    while end < len(lines) and lines[end].strip():
        line = lines[end]
        if SIMPLE.match(line) or BORDER.match(line):
            rules, fresh = rules + 1, True
        elif bordered and line[:1] != "|":
            break
        else:
            cells = [line[left:right].strip(" |") for left, right in edges]
            if simple:
                cells[-1] = line[edges[-1][0] :].strip()
            # Within a grid's border, and below an empty first cell, a line goes on with its row.
            if rows and not fresh and (bordered or not cells[0]):
                rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
            fresh = False
        end += 1
        if simple and rules == 3:
            break
    block = table_block([[_bare(cell) for cell in row] for row in rows])
    return (block, end) if block.grid else None


def _bare(text: str) -> str:
    for pattern, kept in MARKS:
        text = pattern.sub(kept, text)
    return text
