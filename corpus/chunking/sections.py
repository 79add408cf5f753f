"""A document's blocks by heading: which headings stand over which blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.chunking.sizes import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.chunking.sizes import Count
    from corpus.values import Block, ParsedDocument

# Of one heading and of a whole path: signs (a stored path has room for 600) and tokens.
HEADING_SIGNS, HEADING_TOKENS = 160, 60
PATH_SIGNS, PATH_TOKENS = 600, 200

Path = tuple[str, ...]


def sections(document: ParsedDocument, count: Count) -> Iterator[tuple[Path, list[Block]]]:
    """Heading path, from the document's title downwards, and the blocks under it, none of them blank.

    A heading with nothing below is a block of its own. One that is too long for a path is shortened
    there and told in full as the first block below it.
    """
    title = _short(document.title, count)
    told: set[int] = set()
    for over, blocks in _under(document):
        names = [_short(block.text, count) for block in over]
        path = (title, *(names[1:] if names[:1] == [title] else names))
        while len(path) > 2 and not _fits(path, count):
            path = (path[0], *path[2:])
        full = {" ".join(block.text.split()) for block in over if id(block) not in told} - {*path}
        lost = [block for block in over if " ".join(block.text.split()) in full]
        told |= {id(block) for block in over}
        yield path, [*(replace(block, kind="paragraph") for block in lost), *blocks]


def _under(document: ParsedDocument) -> Iterator[tuple[list[Block], list[Block]]]:
    """The headings over each run of blocks, and the run."""
    over: list[Block] = []
    held: list[Block] = []
    pending: Block | None = None
    for block in document.blocks:
        if block.kind == "furniture" or not block.text.strip():
            continue
        if block.kind != "heading":
            held.append(block)
            pending = None
            continue
        if held:
            yield list(over), held
            held = []
        elif pending is not None and block.level <= pending.level:
            yield list(over), [pending]
        over = [*(heading for heading in over if heading.level < block.level), block]
        pending = block
    if held:
        yield over, held
    elif pending is not None:
        yield over, [pending]


def _short(text: str, count: Count) -> str:
    """A heading as a path takes it: on one line, its end cut off where it is too long."""
    name = " ".join(text.split())
    if len(name) <= HEADING_SIGNS and count(name) <= HEADING_TOKENS:
        return name
    name = name[: HEADING_SIGNS - 1]
    while len(name) > 1 and count(name) > HEADING_TOKENS:
        name = name[: len(name) * 3 // 4]
    return f"{name.rstrip()}…"


def _fits(path: Path, count: Count) -> bool:
    whole = joined(path)
    return len(whole) <= PATH_SIGNS and count(whole) <= PATH_TOKENS
