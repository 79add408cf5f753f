from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode
from corpus.values import Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bs4.element import Tag

HEADINGS = {f"h{level}": level for level in range(1, 7)}
DROPPED = ("script", "style", "noscript", "template", "nav", "svg", "iframe", "head")
LEAVES = {*HEADINGS, "p", "li", "pre", "blockquote", "table", "dt", "dd", "figcaption"}
DEPTH = 500


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    from bs4 import BeautifulSoup

    text, warning = decode(path.read_bytes())
    if _depth(text) > DEPTH:
        raise UnreadableFile(f"{name} nests its elements more than {DEPTH} deep and is refused.")
    soup = BeautifulSoup(text, "lxml")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for element in soup(DROPPED):
        element.decompose()
    blocks = tuple(_walk(soup.body or soup))
    return ParsedDocument(
        title=title or Path(name).stem, blocks=blocks, warnings=(warning,) if warning else ()
    )


def _depth(text: str) -> int:
    """An upper bound of the nesting, from counting tags: cheap, and safe on hostile input."""
    import re

    deepest = depth = 0
    for match in re.finditer(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^>]*?(/?)>", text):
        if match[2].lower() in {"br", "hr", "img", "meta", "link", "input", "p", "li", "td", "tr"}:
            continue
        depth = max(0, depth + (-1 if match[1] else 0 if match[3] else 1))
        deepest = max(deepest, depth)
    return deepest


def _walk(root: Tag) -> list[Block]:
    """Leaves in reading order; text that stands in no leaf becomes a paragraph of its own."""
    from bs4.element import NavigableString, Tag

    blocks: list[Block] = []
    loose: list[str] = []

    def flush() -> None:
        text = " ".join(" ".join(loose).split())
        loose.clear()
        if text:
            blocks.append(Block("paragraph", text))

    def visit(node: Tag) -> None:
        for child in node.children:
            if isinstance(child, Tag):
                if child.name in LEAVES:
                    flush()
                    blocks.append(_leaf(child))
                elif child.name in {"div", "section", "article", "main", "ul", "ol", "dl", "body"}:
                    flush()
                    visit(child)
                    flush()
                else:
                    visit(child)
            elif type(child) is NavigableString:
                loose.append(str(child))

    visit(root)
    flush()
    return [block for block in blocks if block.text]


def _leaf(node: Tag) -> Block:
    if node.name == "table":
        rows = [
            " | ".join(cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"]))
            for row in node.find_all("tr")
        ]
        return Block("table", "\n".join(row for row in rows if row))
    if node.name == "pre":
        return Block("code", node.get_text())
    text = " ".join(node.get_text(" ", strip=True).split())
    if node.name in HEADINGS:
        return Block("heading", text, level=HEADINGS[node.name])
    return Block("list" if node.name in {"li", "dt", "dd"} else "paragraph", text)
