"""Blocks to passages: paragraphs under one heading, packed to a budget of the embedder's tokens. Pure."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from corpus.chunking.packing import pack
from corpus.chunking.sections import sections
from corpus.chunking.sizes import LIMITS, Limits, joined
from corpus.chunking.splitting import sentences
from corpus.values import ChunkDraft, ParsedDocument
from engines.language import detect
from engines.tokens import estimate_tokens

if TYPE_CHECKING:
    from corpus.chunking.packing import Passage
    from corpus.chunking.sizes import Count
    from corpus.values import Place

# So much of a document tells its language.
BLOCKS, SIGNS = 400, 4000

__all__ = ["LIMITS", "Limits", "chunk", "sentences"]


def chunk(
    document: ParsedDocument, count: Count = estimate_tokens, limits: Limits = LIMITS
) -> tuple[ChunkDraft, ...]:
    """Passages in reading order. Each readable character of the blocks lies in at least one: in its text
    or, for a heading, in its heading path. Furniture is left out.

    `count` gives the tokens of a text, by the embedder's own vocabulary or an estimate. A passage never
    crosses a heading, and with its heading path it never outgrows `limits.window`.
    """
    default = _default_language(document)
    drafts: list[ChunkDraft] = []
    for path, blocks in sections(document, count):
        room = limits.beside(count(joined(path)))
        for passage in pack(blocks, room, count):
            drafts.append(
                ChunkDraft(
                    position=len(drafts),
                    heading_path=path,
                    text=passage.text,
                    block=passage.kind,
                    page=next((b.page for b in passage.blocks if b.page is not None), None),
                    language=_language(passage, default),
                    places=_places(passage),
                )
            )
    return tuple(drafts)


def _default_language(document: ParsedDocument) -> str:
    """By the beginning of the text; by source code only where there is nothing else."""
    kinds = ({"furniture", "code"}, {"furniture"})
    for idle in kinds:
        held = (block.text for block in document.blocks if block.kind not in idle)
        beginning = " ".join(islice(held, BLOCKS))[:SIGNS]
        if beginning.strip():
            return detect(beginning)
    return detect(document.title)


def _language(passage: Passage, default: str) -> str:
    """The passage's own where there is enough to tell it by; source code has none."""
    telling = passage.kind != "code" and len(passage.text.split()) > 8
    return detect(passage.text, default) if telling else default


def _places(passage: Passage) -> tuple[tuple[int, Place], ...]:
    """Each page that the passage lies on, with the rectangle around its blocks there."""
    found: dict[int, Place] = {}
    for block in passage.blocks:
        if block.page is not None and block.place is not None:
            held = found.get(block.page)
            found[block.page] = block.place if held is None else held.union(block.place)
    return tuple(sorted(found.items()))
