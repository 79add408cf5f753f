"""The layout of pages: each alone, and all of a document together."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus.parsing.grids import table_block
from corpus.parsing.layout.boxes import Box, body_size, letter_size, rows, upright
from corpus.parsing.layout.furniture import on_page, running
from corpus.parsing.layout.order import in_order
from corpus.parsing.layout.paragraphs import Passage, may_head, passages
from corpus.parsing.layout.ruled import ruled_tables
from corpus.parsing.layout.running import glued, unfinished, whole, words_of
from corpus.parsing.layout.written import written_blocks
from corpus.parsing.lines import Line
from corpus.values import Block

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus.parsing.layout.order import Atom
    from corpus.parsing.layout.tables import Table
    from corpus.parsing.lines import PageLines

LEVELS, RUN = 4, 3
# The margin of OCR's boxes, as a share of their height.
LOOSE = 0.15
# Lines drawn with signs say nothing.
ORNAMENT = re.compile(r"[\s.·…_=*~–—-]{4,}")


@dataclass(frozen=True, slots=True)
class _Style:
    """How a heading is set: headings that look alike have one level."""

    size: float
    bold: bool
    capitals: bool


@dataclass(frozen=True, slots=True)
class _Draft:
    block: Block
    style: _Style | None = None


def page_blocks(page: PageLines) -> list[Block]:
    """The blocks of one page that stands alone, in reading order, furniture first and last."""
    return document_blocks([page])[0]


def document_blocks(pages: Sequence[PageLines]) -> list[list[Block]]:
    """The blocks of each page. What comes again on several pages is furniture; headings that are set
    alike have one level in the whole document."""
    pages = [_tightened(page) for page in pages]
    body = body_size([line for page in pages for line in page.lines])
    repeated = running(pages)
    drafts = [_page(page, again, body) for page, again in zip(pages, repeated, strict=True)]
    drafts = [_without_runs(held) for held in drafts]
    levels = _levels([draft.style for held in drafts for draft in held if draft.style])
    known = words_of(draft.block.text for held in drafts for draft in held)
    return [[_settled(draft, levels, known) for draft in held] for held in drafts]


def _tightened(page: PageLines) -> PageLines:
    """OCR draws its boxes around the letters with a margin, so that neighbours overlap: without it."""
    if page.engine == "text":
        return page
    return replace(page, lines=tuple(map(_tight, page.lines)))


def _tight(line: Line) -> Line:
    height, width = line.bottom - line.top, line.right - line.left
    across, down = min(height, width) * LOOSE, height * LOOSE / 2
    return replace(
        line,
        left=line.left + across,
        right=line.right - across,
        top=line.top + down,
        bottom=line.bottom - down,
    )


def _settled(draft: _Draft, levels: Mapping[_Style, int], known: frozenset[str]) -> Block:
    block = draft.block
    level = levels[draft.style] if draft.style else block.level
    return replace(block, level=level, text=whole(block.text, known))


def _without_runs(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Many headings of one kind that follow each other are no headings: an address, a title page."""
    kept = list(drafts)
    start = 0
    for at in range(1, len(kept) + 1):
        if at < len(kept) and drafts[at].style and drafts[at].style == drafts[start].style:
            continue
        if at - start > RUN and drafts[start].style:
            for other in range(start, at):
                kept[other] = _Draft(replace(kept[other].block, kind="paragraph"))
        start = at
    return kept


def _levels(styles: Sequence[_Style]) -> dict[_Style, int]:
    """Larger before smaller, bold before plain, capitals before small letters; sizes within a twentieth
    are one."""
    ordered = sorted(
        set(styles), key=lambda style: (-style.size, not style.bold, not style.capitals)
    )
    levels: dict[_Style, int] = {}
    for style in ordered:
        levels[style] = min(len(levels) + 1, LEVELS)
    return levels


def _page(page: PageLines, again: set[int], body: float) -> list[_Draft]:
    if page.markdown and (blocks := written_blocks(page)):
        return [_Draft(block) for block in blocks]
    own = letter_size(page.lines, body)
    numbers = {id(line): at for at, line in enumerate(page.lines)}
    tables = ruled_tables(page)
    held = {numbers[id(line)] for table in tables for line in table.lines}
    odd = again | on_page(page, own, again | held)
    tables = [table for table in tables if not odd & {numbers[id(line)] for line in table.lines}]
    held = {numbers[id(line)] for table in tables for line in table.lines}
    free = [
        line
        for at, line in enumerate(page.lines)
        if at not in odd | held and not ORNAMENT.fullmatch(line.text)
    ]
    labels = _labels([line for line in free if not upright(line)])
    sideways = [line for line in free if not upright(line) and id(line) not in labels]
    across = [labels.get(id(line), line) for line in free if line not in sideways]
    drafts: list[_Draft] = []
    for group in in_order([*across, *tables], own):
        _go_on(drafts, _group(group, page, own, body))
    drafts += [_Draft(_block("paragraph", line.text, page, line)) for line in sideways]
    furniture = [line for row in rows(page.lines[at] for at in odd) for line in row]
    middle = page.height / 2
    before = [
        _Draft(_block("furniture", line.text, page, line))
        for line in furniture
        if line.top < middle
    ]
    after = [
        _Draft(_block("furniture", line.text, page, line))
        for line in furniture
        if line.top >= middle
    ]
    return [*before, *drafts, *after]


def _labels(sideways: Sequence[Line]) -> dict[int, Line]:
    """Texts set on their side whose ends stand on one level head the columns of a table: each as a line
    at its lower end, by the original's id."""
    return {
        id(line): replace(line, top=line.bottom - line.size)
        for line in sideways
        if sum(abs(other.bottom - line.bottom) < line.size * 0.5 for other in sideways) > 1
    }


def _block(kind: str, text: str, page: PageLines, box: Box | Line | Table) -> Block:
    place = page.place(box.left, box.top, box.right, box.bottom)
    return Block(kind, text, page.number, place=place)


def _group(group: Sequence[Atom], page: PageLines, own: float, body: float) -> list[_Draft]:
    """The blocks of one column: what stands between tables as passages, lists gathered."""
    drafts: list[_Draft] = []
    lines: list[Line] = []

    def flush() -> None:
        for passage in passages(lines, own):
            drafts.append(_passage(passage, page, body))
        lines.clear()

    for atom in group:
        if isinstance(atom, Line):
            lines.append(atom)
            continue
        flush()
        place = page.place(atom.left, atom.top, atom.right, atom.bottom)
        drafts.append(_Draft(table_block(atom.grid, page.number, place)))
    flush()
    return _with_lists(drafts)


def _passage(passage: Passage, page: PageLines, body: float) -> _Draft:
    measured = page.engine == "text"
    if may_head(passage, body, measured=measured):
        capitals = passage.text.isupper()
        size = round(passage.size * (2 if measured else 0.5)) / (2 if measured else 0.5)
        style = _Style(size, passage.bold, capitals)
        return _Draft(_block("heading", passage.text, page, passage.box), style)
    if passage.caption:
        return _Draft(_block("caption", passage.text, page, passage.box))
    if passage.item:
        return _Draft(_block("list", passage.item, page, passage.box))
    return _Draft(_block("paragraph", passage.text, page, passage.box))


def _with_lists(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Items that follow each other are one list."""
    gathered: list[_Draft] = []
    for draft in drafts:
        last = gathered[-1].block if gathered else None
        if last is not None and last.kind == draft.block.kind == "list":
            gathered[-1] = _Draft(_one(last, draft.block, f"{last.text}\n{draft.block.text}"))
        else:
            gathered.append(draft)
    return gathered


def _one(last: Block, block: Block, text: str) -> Block:
    place = last.place.union(block.place) if last.place and block.place else last.place
    return replace(last, text=text, place=place)


def _go_on(drafts: list[_Draft], following: list[_Draft]) -> None:
    """Put the next column after the last, a sentence that runs over its end made whole."""
    if drafts and following:
        last, first = drafts[-1].block, following[0].block
        continues = first.text[:1].islower() or last.text[-1:] in "-\u00ad"
        if (
            last.kind in {"paragraph", "list"}
            and first.kind == "paragraph"
            and unfinished(last.text)
            and continues
        ):
            drafts[-1] = _Draft(_one(last, first, glued(last.text, first.text)))
            following = following[1:]
    drafts += following
