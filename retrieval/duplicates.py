"""Copies of a passage folded into the best of them. Pure: no row, no model."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.language import WORD, fold
from retrieval.opposites import opposites
from retrieval.values import Copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Hit

# Shingles of three words; Broder 1997 (resemblance) calls this overlap "roughly the same".
SHINGLE, ALIKE = 3, 0.9
LAST_HEADING = " › "


@functools.lru_cache(maxsize=65_536)
def _word(word: str) -> tuple[str, bool]:
    """The word folded, and whether it makes another statement of the same words.

    Figures, names, "not", "more", "before" do. The same few words make most of any text, so they are kept.
    """
    plain = fold(word)
    figure = any(sign.isdigit() for sign in word)
    return plain, plain in opposites() or word[0].isupper() or figure


class _Text:
    """A passage's words in the forms that are compared, made once."""

    __slots__ = ("folded", "heading", "shingles", "telling", "words")

    def __init__(self, hit: Hit) -> None:
        read = [_word(word) for word in WORD.findall(hit.text)]
        self.folded = [plain for plain, _ in read]
        self.words = frozenset(self.folded)
        self.telling = frozenset(plain for plain, telling in read if telling)
        count = max(1, len(self.folded) - SHINGLE + 1)
        self.shingles = frozenset(tuple(self.folded[i : i + SHINGLE]) for i in range(count))
        self.heading = fold(hit.heading_path.rsplit(LAST_HEADING, 1)[-1])


def folded(hits: Sequence[Hit], limit: int) -> tuple[Hit, ...]:
    """At most `limit` of the ranked `hits`, copies of a better one named there instead of standing apart.

    A copy says the same, word by word or nearly: the shingles overlap by at least ALIKE, no figure,
    name, negation or comparison differs, and both stand under the same heading or one under none.
    """
    kept: list[tuple[_Text, Hit, list[Copy]]] = []
    for hit in hits:
        mine = _Text(hit)
        same = next((copies for text, _, copies in kept if _alike(text, mine)), None)
        if same is None:
            kept.append((mine, hit, []))
        else:
            place = (hit.page, hit.label, hit.until)
            same.append(Copy(hit.chunk_id, hit.document_id, hit.document, *place))
    return tuple(
        replace(hit, copies=tuple(copies)) if copies else hit for _, hit, copies in kept[:limit]
    )


def _alike(one: _Text, other: _Text) -> bool:
    if one.heading and other.heading and one.heading != other.heading:
        return False
    if one.folded == other.folded:
        return True
    # A cheap bound first: sets of sizes a <= b overlap by a / b at most.
    small, large = sorted((len(one.shingles), len(other.shingles)))
    if small < ALIKE * large:
        return False
    shared = len(one.shingles & other.shingles)
    if shared < ALIKE * (small + large - shared):
        return False
    return not (one.words ^ other.words) & (one.telling | other.telling)
