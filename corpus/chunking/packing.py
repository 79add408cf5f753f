"""The blocks under one heading to passages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus.chunking.splitting import by_lines, by_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus.chunking.sizes import Count, Limits
    from corpus.values import Block

ATOMIC = frozenset({"table", "code", "figure", "summary"})
CAPTIONED = frozenset({"table", "figure"})


@dataclass(frozen=True, slots=True)
class Passage:
    """Text with the blocks that it was made of."""

    kind: str
    text: str
    blocks: tuple[Block, ...]


def pack(blocks: Sequence[Block], limits: Limits, count: Count) -> Iterator[Passage]:
    """Passages in order, none longer than the limits.

    Paragraphs and lists are packed together; a longer one is split at sentences or items. A table, a
    piece of code and a figure stand alone, with their captions.
    """
    flow = _Flow(limits, count)
    for unit in _units(blocks):
        if any(block.kind in ATOMIC for block in unit):
            yield from flow.close()
            yield from _atomic(unit, limits, count)
        else:
            yield from flow.take(unit[0])
    yield from flow.close()


def _units(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Each table and figure with the captions before it, else the one after it; others alone."""
    at = 0
    while at < len(blocks):
        end = at
        while end < len(blocks) and blocks[end].kind == "caption":
            end += 1
        held = end < len(blocks) and blocks[end].kind in CAPTIONED
        if not held:
            yield [blocks[at]]
            at += 1
            continue
        end += 1
        if end - at == 1 and [block.kind for block in blocks[end : end + 1]] == ["caption"]:
            # Between two tables a caption is the second's: captions stand more often above.
            end += [block.kind in CAPTIONED for block in blocks[end + 1 : end + 2]] != [True]
        yield list(blocks[at:end])
        at = end


def _atomic(unit: Sequence[Block], limits: Limits, count: Count) -> Iterator[Passage]:
    """Whole up to the limit; beyond it by lines, the captions and the first line (a table's header, a
    function's signature) told again."""
    host = next(block for block in unit if block.kind in ATOMIC)
    whole = "\n".join(block.text for block in unit)
    if count(whole) <= limits.atomic:
        yield Passage(host.kind, whole, tuple(unit))
        return
    lines = host.text.splitlines()
    captions = [block.text for block in unit if block is not host]
    after = unit[0] is host and bool(captions)
    head = captions if not after else []
    if host.kind != "figure":
        head = [*head, lines.pop(0)]
    for text in by_lines(
        [*lines, *(captions if after else [])], "\n".join(head), limits.atomic, count
    ):
        yield Passage(host.kind, text, tuple(unit))


@dataclass(slots=True)
class _Flow:
    """Paragraphs and lists that wait for their passage to fill, each text with its block and tokens.

    `lead` is the line that leads in the list at hand ("The following are allowed:"); it is told again,
    without a block, where the list goes on in another passage.
    """

    limits: Limits
    count: Count
    parts: list[tuple[str, Block | None, int]] = field(default_factory=list)
    lead: str = ""

    def take(self, block: Block) -> Iterator[Passage]:
        """Add a block. Gives the passages that are full by it."""
        size = self.count(block.text)
        leader = self._leader() if block.kind == "list" else None
        if block.kind != "list":
            self.lead = ""
        elif leader is not None:
            self.lead = leader.text
        if size > self.limits.whole:
            yield from self._long(block, leader)
            return
        if self.parts and sum(tokens for *_, tokens in self.parts) + size > self.limits.budget:
            room = self.limits.whole - size
            led = bool(self.lead) and self.count(self.lead) <= room
            if led and leader is not None:
                self.parts.pop()
            yield from self.close()
            if led:
                self.parts.append((self.lead, leader, self.count(self.lead)))
        self.parts.append((block.text, block, size))

    def close(self) -> Iterator[Passage]:
        """The passage that was waiting, if any."""
        if self.parts:
            blocks = tuple(block for _, block, _ in self.parts if block is not None)
            yield Passage(_kind(blocks), "\n".join(text for text, *_ in self.parts), blocks)
        self.parts = []

    def _leader(self) -> Block | None:
        """The last block, where it is a short paragraph that leads in a list."""
        _, block, tokens = self.parts[-1] if self.parts else ("", None, 0)
        if block is None or block.kind != "paragraph" or not block.text.rstrip().endswith(":"):
            return None
        return block if tokens * 2 <= self.limits.budget else None

    def _long(self, block: Block, leader: Block | None) -> Iterator[Passage]:
        """A block of passages of its own: a list by its items, else by sentences."""
        items = block.text.splitlines()
        if block.kind != "list" or len(items) == 1:
            yield from self.close()
            for text in by_sentences(block.text, self.limits.budget, self.limits.whole, self.count):
                yield Passage(_kind([block]), text, (block,))
            return
        if leader is not None:
            self.parts.pop()
        yield from self.close()
        for text in by_lines(items, self.lead, self.limits.budget, self.count):
            yield Passage("list", text, (block,) if leader is None else (leader, block))


def _kind(blocks: Sequence[Block]) -> str:
    return "list" if all(block.kind == "list" for block in blocks) else "paragraph"
