"""docling's document tree to blocks: headings, lists, tables with filled spans, pictures, furniture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus.parsing.grids import table_block
from corpus.values import Block, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docling_core.types.doc.document import DoclingDocument

BOX = {"checkbox_selected": "[x] ", "checkbox_unselected": "[ ] "}
FURNITURE = frozenset({"page_header", "page_footer"})


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that stands before block number `position` of the tree. `image` is a PIL image."""

    position: int
    page: int | None
    image: Any


@dataclass(slots=True)
class Tree:
    """The walk over one document. `joiner` stands between the differently formatted runs of a paragraph.

    After `read` the blocks, the pictures, the count of slides (0 for texts) and the numbers of the hidden
    ones are filled.
    """

    document: DoclingDocument
    joiner: str = ""
    blocks: list[Block] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)
    slides: int = 0
    _told: set[str] = field(default_factory=set)

    def read(self) -> None:
        for item in (*self.document.tables, *self.document.pictures):
            # A caption is told with its table or picture, wherever else the tree may list it.
            self._told.update(ref.cref for ref in item.captions)
        for child in self._children(self.document.body):
            self.slides += _label(child) == "chapter"
            self._visit(child)

    def _children(self, node: Any) -> Iterator[Any]:
        for ref in node.children:
            yield ref.resolve(self.document)

    def _visit(self, node: Any, depth: int = 0) -> None:
        if node.self_ref in self._told:
            return
        if hasattr(node, "data"):
            self._table(node)
        elif hasattr(node, "image") and not hasattr(node, "text"):
            self._picture(node)
        elif hasattr(node, "marker"):
            self._item(node, depth)
        elif hasattr(node, "text"):
            self._text(node, depth)
        elif _label(node) == "inline":
            self._add("paragraph", self._run(node), node)
        else:
            deeper = depth + 1 if _label(node) in {"list", "ordered_list"} else depth
            for child in self._children(node):
                self._visit(child, deeper)

    def _text(self, node: Any, depth: int) -> None:
        label = _label(node)
        text, below = self._own(node)
        if label in {"title", "section_header"}:
            self._add("heading", " ".join(text.split()), node, level=getattr(node, "level", 1))
        elif label == "code":
            self._add("code", text, node)
        elif label == "caption":
            self._add("caption", text, node)
        else:
            self._add("paragraph", BOX.get(label, "") + text if text.strip() else "", node)
        for child in below:
            self._visit(child, depth)

    def _item(self, node: Any, depth: int) -> None:
        text, below = self._own(node)
        marker = node.marker.strip() if node.enumerated and node.marker else "-"
        if text.strip():
            self._add("list", f"{'  ' * (depth - 1)}{marker} {' '.join(text.split())}", node)
        for child in below:
            self._visit(child, depth)

    def _own(self, node: Any) -> tuple[str, list[Any]]:
        """A node's text, which may stand in a run below it, and the children that are no part of it."""
        children = list(self._children(node))
        if node.text:
            return node.text, children
        inline = [child for child in children if _label(child) == "inline"]
        text = self.joiner.join(self._run(child) for child in inline)
        return text, [child for child in children if child not in inline]

    def _run(self, node: Any) -> str:
        """A paragraph that docling keeps as runs of one format each."""
        children = list(self._children(node))
        parts = [getattr(child, "text", "") or self._run(child) for child in children]
        # docling trims the text around a formula.
        apart = any(_label(child) == "formula" for child in children)
        return (" " if apart else self.joiner).join(part for part in parts if part)

    def _table(self, node: Any) -> None:
        self._captions(node)
        inner = Tree(self.document, self.joiner, _told=self._told, slides=self.slides)
        grid = self._grid(node.data, inner)
        self._add_grid(grid, node)
        self._take(inner, {"table"})

    def _take(self, inner: Tree, kinds: set[str]) -> None:
        """What stood inside a cell and is no text of it: nested tables, pictures."""
        for picture in inner.pictures:
            self.pictures.append(Picture(len(self.blocks), picture.page, picture.image))
        self.blocks += [block for block in inner.blocks if block.kind in kinds]

    def _grid(self, data: Any, inner: Tree) -> list[list[str]]:
        """Cells as text, a merged one in each place that it covers."""
        texts: dict[int, str] = {}
        for cell in data.table_cells:
            if hasattr(cell, "ref"):
                start = len(inner.blocks)
                inner._visit(cell.ref.resolve(self.document))
                said = [block.text for block in inner.blocks[start:] if block.kind != "table"]
                # A lone item is a cell's text, not a list.
                texts[id(cell)] = said[0].strip("- ") if len(said) == 1 else "\n".join(said)
            else:
                texts[id(cell)] = cell.text
        grid = [["" for _ in range(data.num_cols)] for _ in range(data.num_rows)]
        for cell in data.table_cells:
            for row in range(cell.start_row_offset_idx, min(cell.end_row_offset_idx, len(grid))):
                for column in range(
                    cell.start_col_offset_idx, min(cell.end_col_offset_idx, data.num_cols)
                ):
                    grid[row][column] = texts[id(cell)]
        return grid

    def _picture(self, node: Any) -> None:
        self._captions(node)
        chart = getattr(getattr(node, "meta", None), "tabular_chart", None)
        if chart is not None:
            grid = self._grid(chart.chart_data, Tree(self.document, self.joiner))
            self._add_grid(grid, node)
        image = node.image.pil_image if node.image is not None and chart is None else None
        if image is not None:
            self.pictures.append(Picture(len(self.blocks), self._page(node), image))
        for child in self._children(node):
            self._visit(child)

    def _captions(self, node: Any) -> None:
        for ref in node.captions:
            caption = ref.resolve(self.document)
            self._add("caption", caption.text or self._run(caption), node)

    def _add(self, kind: str, text: str, node: Any, *, level: int = 0) -> None:
        layer = _layer(node)
        page = self._page(node)
        label = _label(node)
        if (layer == "furniture" and label != "footnote") or label in FURNITURE:
            kind, level = "furniture", 0
        if layer == "invisible" and page is not None:
            self.hidden.add(page)
        if text.strip():
            held = text.rstrip() if kind in {"list", "code"} else text.strip()
            self.blocks.append(Block(kind, held, page, level, self._place(node)))

    def _add_grid(self, grid: list[list[str]], node: Any) -> None:
        block = table_block(grid, self._page(node), self._place(node))
        if _layer(node) == "furniture":
            self._add("furniture", block.text, node)
        elif block.grid:
            self.blocks.append(block)

    def _page(self, node: Any) -> int | None:
        prov = getattr(node, "prov", None)
        return int(prov[0].page_no) if prov else self.slides or None

    def _place(self, node: Any) -> Place | None:
        prov = getattr(node, "prov", None)
        if not prov:
            return None
        page = self.document.pages.get(prov[0].page_no)
        if page is None or page.size is None or not page.size.width or not page.size.height:
            return None
        box = prov[0].bbox.to_top_left_origin(page.size.height)
        share = [
            min(1.0, max(0.0, round(value / whole, 4)))
            for value, whole in (
                (box.l, page.size.width),
                (box.t, page.size.height),
                (box.r, page.size.width),
                (box.b, page.size.height),
            )
        ]
        return Place(*share) if share[2] > share[0] and share[3] > share[1] else None


def _layer(node: Any) -> str:
    return str(getattr(getattr(node, "content_layer", None), "value", "body"))


def _label(node: Any) -> str:
    label = getattr(node, "label", "")
    return str(getattr(label, "value", label))
