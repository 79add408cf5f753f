"""Long text to pieces: at sentences, at lines, and at any place where nothing else is left."""

from __future__ import annotations

import math
import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpus.chunking.sizes import Count

END = re.compile(r"[.!?…][\"»”)]*(?=\s+[\"«“(]?[A-ZÀ-ÖØ-Ý0-9])")
ABBREVIATION = re.compile(
    r"\b(?:Sr|Sra|Dr|Dra|Eng|Prof|Lda|S\.A|n|art|pág|p|ex|etc|Mr|Mrs|No|Inc)\.$", re.I
)
BORDERS = ("\n", " ")
# Pieces of one length differ in tokens: so full they are meant to be, lest many be cut once more.
FULL = 0.8


def sentences(text: str) -> list[str]:
    """Sentences of a paragraph; an abbreviation does not end one."""
    found: list[str] = []
    ends = [match.end() for match in END.finditer(text)]
    for start, end in pairwise((0, *ends, len(text))):
        part = text[start:end].strip()
        if found and ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        elif part:
            found.append(part)
    return found


def cut(text: str, limit: int, count: Count) -> Iterator[str]:
    """Pieces of at most `limit` tokens and of about one size, cut at a line, else a space, else anywhere.

    A single sign may have more tokens than the limit: it is a piece all the same.
    """
    total = count(text)
    if total <= limit or len(text) < 2:
        yield text
        return
    pieces = min(len(text), max(2, math.ceil(total / (limit * FULL))))
    step = len(text) / pieces
    inner = (_near(text, round(step * piece), int(step / 3)) for piece in range(1, pieces))
    for start, end in pairwise((0, *inner, len(text))):
        if start < end:
            yield from cut(text[start:end], limit, count)


def _near(text: str, at: int, reach: int) -> int:
    """The border nearest to a place within reach of it; the place itself where there is none."""
    for border in BORDERS:
        before = text.rfind(border, at - reach, at)
        after = text.find(border, at, at + reach)
        found = [place for place in (before, after) if place > 0]
        if found:
            return min(found, key=lambda place: abs(place - at))
    return at


def by_sentences(text: str, budget: int, whole: int, count: Count) -> Iterator[str]:
    """Sentences packed to `budget` tokens, the last one of a piece told again at the start of the next.

    No piece outgrows `whole`: the overlap is left out where it would, and a longer sentence is cut.
    """
    held: list[tuple[str, int]] = []
    for sentence in sentences(text):
        for piece in cut(sentence, whole, count):
            size = count(piece)
            if held and _sum(held) + size > budget:
                yield " ".join(said for said, _ in held)
                last = held[-1]
                held = [last] if len(held) > 1 and last[1] + size <= whole else []
            held.append((piece.strip(), size))
    if held:
        yield " ".join(said for said, _ in held)


def by_lines(lines: Iterable[str], head: str, limit: int, count: Count) -> Iterator[str]:
    """Lines packed to `limit` tokens, each piece under `head`. A head of more than half the limit is
    told once, like any line."""
    size = count(head)
    repeated = [head] if head and size * 2 <= limit else []
    room = max(1, limit - size) if repeated else limit
    held, used = list(repeated), 0
    for line in lines if repeated or not head else chain(head.splitlines(), lines):
        for piece in cut(line, room, count):
            more = count(piece)
            if used and used + more > room:
                yield "\n".join(held)
                held, used = list(repeated), 0
            held.append(piece)
            used += more
    if held:
        yield "\n".join(held)


def _sum(held: list[tuple[str, int]]) -> int:
    return sum(size for _, size in held)
