"""A walk over the elements of a page: its blocks in reading order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bs4.element import NavigableString, PreformattedString, Tag

from corpus.parsing.grids import table_block, tidy
from corpus.parsing.htmltable import caption_of, cells, grid_of, is_layout
from corpus.values import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset({"ul", "ol", "menu", "dir"})
BLOCKS = frozenset(
    {
        "div",
        "p",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "aside",
        "body",
        "form",
        "fieldset",
    }
    | {"details", "summary", "address", "hr", "center", "blockquote", "figure", "hgroup", "legend"}
    | {"tbody", "thead", "tfoot", "tr", "td", "th", "option", "optgroup", "li", "label"}
)
CHECKED = {True: "[x] ", False: "[ ] "}
ALT_WORDS = 3
SPACE = re.compile(r"[ \t\r\n\f]+")


@dataclass(slots=True)
class Walk:
    """Collects blocks. What stands between two block elements is one paragraph, item or heading."""

    blocks: list[Block] = field(default_factory=list)
    _loose: list[str] = field(default_factory=list)
    _kind: str = "paragraph"
    _level: int = 0
    # Before the next text: an item's indent and marker, a term; then the indent alone.
    _prefix: str = ""
    _indent: str = ""

    def read(self, root: Tag) -> list[Block]:
        """The blocks under an element, in reading order."""
        self._visit(root, 0)
        self._flush()
        return self.blocks

    def _flush(self) -> None:
        text = "\n".join(
            line for line in (tidy(part) for part in "".join(self._loose).split("\v")) if line
        )
        self._loose.clear()
        if not text.replace("[ ]", "").strip():
            return
        if self._kind == "heading":
            text = text.replace("\n", " ")
        self.blocks.append(Block(self._kind, f"{self._prefix}{text}", level=self._level))
        self._prefix = self._indent

    def _flush_term(self) -> None:
        """Before a block of its own: a term whose description has no text before that block."""
        self._flush()
        if self._prefix.endswith(": "):
            self.blocks.append(Block("list", self._prefix.rstrip(": ")))
            self._prefix = self._indent

    def _visit(self, node: Tag, depth: int) -> None:
        for child in node.children:
            if isinstance(child, Tag):
                self._element(child, depth)
            elif type(child) is NavigableString:
                self._loose.append(SPACE.sub(" ", str(child)))
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                self._loose.append(str(child))

    def _element(self, node: Tag, depth: int) -> None:
        tag = node.name
        if tag == "br":
            self._loose.append("\v")
        elif tag in HEADINGS:
            self._within(node, depth, "heading", HEADINGS[tag])
        elif tag == "figcaption":
            self._within(node, depth, "caption", 0)
        elif tag in {"nav"} or node.get("role") == "navigation":
            self._within(node, depth, "furniture", 0)
        elif tag in LISTS:
            self._list(node, depth)
        elif tag == "dl":
            self._terms(node, depth)
        elif tag == "table":
            self._table(node, depth)
        elif tag == "pre":
            self._flush_term()
            if node.get_text().strip():
                self.blocks.append(Block("code", node.get_text().strip("\r\n")))
        elif tag in {"img", "input", "textarea"}:
            self._field(node)
        elif tag in BLOCKS:
            self._flush()
            self._visit(node, depth)
            self._flush()
        else:
            self._visit(node, depth)

    def _within(self, node: Tag, depth: int, kind: str, level: int) -> None:
        """All below the node as one kind, until a block inside says otherwise."""
        self._flush_term()
        before = self._kind, self._level, self._prefix, self._indent
        self._kind, self._level, self._prefix, self._indent = kind, level, "", ""
        self._visit(node, depth)
        self._flush()
        self._kind, self._level, self._prefix, self._indent = before

    def _item(self, node: Tag, depth: int, marker: str) -> None:
        self._flush()
        kind = self._kind if self._kind == "furniture" else "list"
        before = self._kind, self._level, self._prefix, self._indent
        indent = "  " * depth
        self._kind, self._level, self._prefix, self._indent = (
            kind,
            0,
            indent + marker,
            indent + "  ",
        )
        self._visit(node, depth + 1)
        self._flush()
        self._kind, self._level, self._prefix, self._indent = before

    def _list(self, node: Tag, depth: int) -> None:
        self._flush_term()
        number = _whole(node.get("start"), 1)
        for child in node.children:
            if not isinstance(child, Tag):
                continue
            if child.name in LISTS:
                self._list(child, depth + 1)
            elif child.name == "li":
                number = _whole(child.get("value"), number)
                self._item(child, depth, f"{number}. " if node.name == "ol" else "- ")
                number += 1
            else:
                self._element(child, depth)
        self._flush()

    def _terms(self, node: Tag, depth: int) -> None:
        """Terms and what is said of them: "term: what"."""
        self._flush_term()
        terms: list[str] = []
        for child in _entries(node):
            if child.name == "dt":
                terms.append(" ".join(child.get_text().split()))
                continue
            told = f"{', '.join(terms)}: " if terms else ""
            terms.clear()
            self._item(child, depth, f"- {told}")
        if terms:
            self.blocks.append(Block("list", f"- {', '.join(terms)}"))

    def _table(self, node: Tag, depth: int) -> None:
        self._flush_term()
        caption = caption_of(node)
        if caption:
            self.blocks.append(Block("caption", caption))
        if is_layout(node):
            for row in cells(node):
                for cell in row:
                    self._within(cell, depth, "paragraph", 0)
            return
        grid = grid_of(node)
        if any(text for row in grid for text in row):
            self.blocks.append(table_block(grid))
        for inner in node.find_all("table"):
            if inner.find_parent("table") is node:
                self._table(inner, depth)

    def _field(self, node: Tag) -> None:
        """What a picture says of itself, and what is filled into a form."""
        if node.name == "img":
            alt = " ".join(str(node.get("alt") or "").split())
            if len(alt.split()) >= ALT_WORDS:
                self._loose.append(f" {alt} ")
        elif node.name == "textarea":
            self._loose.append(f" {node.get_text()} ")
        elif str(node.get("type", "text")).lower() in {"checkbox", "radio"}:
            self._loose.append(CHECKED[node.has_attr("checked")])
        elif str(node.get("type", "text")).lower() not in {"hidden", "password"}:
            self._loose.append(f" {node.get('value') or ''} ")


def _entries(node: Tag) -> Iterator[Tag]:
    """The terms and descriptions of a list, which may be grouped in divisions."""
    for child in node.children:
        if isinstance(child, Tag):
            if child.name in {"dt", "dd"}:
                yield child
            else:
                yield from _entries(child)


def _whole(value: object, default: int) -> int:
    text = str(value or "").strip()
    return int(text) if text.isdecimal() and len(text) < 9 else default
