"""Blocks to passages: paragraphs under one heading, packed to a budget. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.values import Block, ChunkDraft, ParsedDocument
from engines.language import detect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BUDGET = 110
ATOMIC = frozenset({"table", "code", "figure", "summary"})
SENTENCE = re.compile(r"(?<=[.!?…])[\"»”)]*\s+(?=[\"«“(]?[A-ZÀ-ÖØ-Ý0-9])")
ABBREVIATION = re.compile(
    r"\b(?:Sr|Sra|Dr|Dra|Eng|Prof|Lda|S\.A|n|art|pág|p|ex|etc|Mr|Mrs|No|Inc)\.$", re.I
)


def chunk(document: ParsedDocument) -> tuple[ChunkDraft, ...]:
    """Passages in reading order. Each readable character of the blocks lies in at least one.

    A passage never crosses a heading. Paragraphs are packed to about 110 words; a longer paragraph
    is split at sentences with one sentence of overlap; tables and code stay whole up to the budget
    and are split by lines, the first line repeated.
    """
    drafts: list[ChunkDraft] = []
    default = detect(" ".join(block.text for block in document.blocks)[:4000])
    for path, blocks in _sections(document):
        for kind, text, page in _pack(blocks):
            language = detect(text, default) if len(text.split()) > 8 else default
            drafts.append(ChunkDraft(len(drafts), path, text, kind, page, language))
    return tuple(drafts)


def sentences(text: str) -> list[str]:
    """Sentences of a paragraph; an abbreviation does not end one."""
    found: list[str] = []
    for part in SENTENCE.split(text):
        if found and ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        elif part.strip():
            found.append(part.strip())
    return found


def _sections(document: ParsedDocument) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Heading path and the blocks under it. A heading with nothing below is kept as a block."""
    path: list[tuple[int, str]] = []
    held: list[Block] = []

    def names() -> tuple[str, ...]:
        titles = [text for _, text in path]
        return tuple(titles) if titles[:1] == [document.title] else (document.title, *titles)

    pending: Block | None = None
    for block in document.blocks:
        if block.kind != "heading":
            held.append(block)
            pending = None
            continue
        if held:
            yield names(), held
            held = []
        elif pending is not None and block.level <= pending.level:
            yield names(), [pending]
        path = [(level, text) for level, text in path if level < block.level]
        path.append((block.level, block.text))
        pending = block
    if held:
        yield names(), held
    elif pending is not None:
        yield names(), [pending]


def _pack(blocks: Iterable[Block]) -> Iterator[tuple[str, str, int | None]]:
    held: list[Block] = []
    size = 0
    for block in blocks:
        words = len(block.text.split())
        if held and (block.kind in ATOMIC or size + words > BUDGET):
            yield "paragraph", "\n".join(item.text for item in held), held[0].page
            held, size = [], 0
        if block.kind in ATOMIC:
            for part in _by_lines(block.text):
                yield block.kind, part, block.page
        elif words > BUDGET * 1.5:
            for part in _by_sentences(block.text):
                yield "paragraph", part, block.page
        else:
            held.append(block)
            size += words
    if held:
        yield "paragraph", "\n".join(item.text for item in held), held[0].page


def _by_sentences(text: str) -> Iterator[str]:
    current: list[str] = []
    for sentence in sentences(text):
        if current and sum(len(s.split()) for s in current) + len(sentence.split()) > BUDGET:
            yield " ".join(current)
            current = current[-1:] if len(current) > 1 else []
        current.append(sentence)
    if current:
        yield " ".join(current)


def _by_lines(text: str) -> Iterator[str]:
    lines = text.splitlines()
    head, current = lines[0], [lines[0]]
    for line in lines[1:]:
        if sum(len(item.split()) for item in current) + len(line.split()) > BUDGET * 2:
            yield "\n".join(current)
            current = [head]
        current.append(line)
    yield "\n".join(current)
