"""Plain text: paragraphs between blank lines, lists, and what is no prose (JSON, XML, logs) line by line."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from corpus.parsing.decoding import decode
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|[a-z]\))\s+")
# Their lines are not running text; joined they would lose their meaning.
LINED = frozenset(
    {"json", "jsonl", "xml", "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "log"}
)
FENCE = 60
LONGEST_TITLE = 120


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    text, warning = decode(path.read_bytes())
    text = text.lstrip("\ufeff").replace("\x00", " ")
    suffix = Path(name).suffix.lower().lstrip(".")
    title, blocks = Path(name).stem, _lined(text, suffix) if suffix in LINED else paragraphs(text)
    if suffix not in LINED and _titled(text, blocks):
        title, blocks = blocks[0].text, [replace(blocks[0], kind="heading", level=1), *blocks[1:]]
    return ParsedDocument(title=title, blocks=tuple(blocks), warnings=(warning,) if warning else ())


def _titled(text: str, blocks: list[Block]) -> bool:
    """Whether the text opens with its title: one short line, no sentence, and paragraphs after it."""
    opening = text.lstrip().partition("\n")[0].strip()
    return (
        len(blocks) > 1
        and blocks[0].kind == "paragraph"
        and blocks[0].text == opening
        and len(opening) <= LONGEST_TITLE
        and bool(re.search(r"[^\W_]", opening))
        and not re.search(r"[.!?:;,…]$", opening)
    )


def paragraphs(text: str) -> list[Block]:
    """Runs of lines between blank ones, each a paragraph; where a run begins with a bullet, a list."""
    blocks: list[Block] = []
    for run in re.split(r"\n[^\S\n]*\n", text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = [line for line in re.split(r"[\n\f\v\u2028\u2029]", run) if line.strip()]
        if not lines:
            continue
        if BULLET.match(lines[0]):
            blocks.append(Block("list", dedent("\n".join(line.rstrip() for line in lines))))
        else:
            blocks.append(Block("paragraph", " ".join(line.strip() for line in lines)))
    return blocks


def _lined(text: str, suffix: str) -> list[Block]:
    """Blocks of some lines each, broken at blank lines where there are any."""
    if suffix == "json":
        # What is no JSON after all is read as it stands.
        with contextlib.suppress(ValueError, RecursionError):
            text = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    blocks: list[Block] = []
    held: list[str] = []
    for line in text.splitlines():
        if held and (not line.strip() or len(held) >= FENCE):
            blocks.append(Block("code", "\n".join(held)))
            held = []
        if line.strip():
            held.append(line.rstrip())
    return [*blocks, Block("code", "\n".join(held))] if held else blocks
