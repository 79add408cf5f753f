"""A stretch of a message under work, and whether it can stand by itself."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.language import content_words

if TYPE_CHECKING:
    from routing.clause_words import Lexicon, Token

# What ends a sentence, in the gap between two words.
HARD = re.compile(r"[?!;\n]|\.(?=\s)|\.$")
# A part with fewer content words, and no name or number, leans on the one before it.
OWN_WORDS = 2


@dataclass(slots=True)
class Piece:
    """A stretch of the message under work: tokens `first`..`last`, what it is, and where it asks from."""

    first: int
    last: int
    asks: bool
    body: int
    elliptical: bool = False
    limb: bool = False
    idle: bool = False


def depends(
    piece: Piece, tokens: tuple[Token, ...], words: Lexicon, whole: str, language: str
) -> bool:
    """Whether a part says too little to be searched by itself.

    "… and to whom does this person report?" asks about the answer to the part before it, and "How long
    and at what share is … tested?" shares the predicate that follows: cut apart, neither is answered.
    A pronoun is no hindrance where a name was said: `completed` puts it beside. Where none was, it stands
    for what the part before asks for ("the names of the teachers and how many courses do they teach").
    """
    if piece.elliptical or piece.limb:
        return False
    places = range(piece.body, piece.last)
    if any(words.match("answer_back", tokens, at) for at in places):
        return True
    for at in places:
        size = words.match("demonstratives", tokens, at)
        if size:
            return _unnamed(tokens[at + size - 1], tokens[: piece.first], words)
    said = whole[tokens[piece.body].start : tokens[piece.last - 1].end]
    rest = tokens[piece.body + 1 : piece.last]
    before = tokens[: piece.first]
    leans = _shares(rest, before, words) or (_refers(rest, words) and not _names(before))
    # Of two sentences each may name itself what its pronoun stands for.
    if piece.first and not HARD.search(tokens[piece.first].gap) and leans:
        return True
    if any(token.named or words.has("anaphora", token) for token in rest):
        return False
    return len(content_words(said, language)) < (OWN_WORDS if piece.first else 1)


def _refers(rest: tuple[Token, ...], words: Lexicon) -> bool:
    return any(words.match("members", rest, at, exact=True) for at in range(len(rest)))


def _shares(rest: tuple[Token, ...], before: tuple[Token, ...], words: Lexicon) -> bool:
    """Whether "each" stands for what the part before asks for, or says its "each maker" again."""
    pairs = {(left.folded, right.folded) for left, right in itertools.pairwise(before)}
    for at, token in enumerate(rest):
        if not words.has("distributive", token):
            continue
        after = rest[at + 1] if at + 1 < len(rest) else None
        if after is None or words.has("prepositions", after):
            return True
        if (token.folded, after.folded) in pairs:
            return True
    return False


def _names(before: tuple[Token, ...]) -> bool:
    return any(token.named and not token.raw[0].isdigit() for token in before[1:])


def _unnamed(noun: Token, before: tuple[Token, ...], words: Lexicon) -> bool:
    """Whether "that line" means no line that was named, but the one that was asked for."""
    asked = any(
        token.folded == noun.folded and words.has("weak", before[at - 1])
        for at, token in enumerate(before)
        if at
    )
    return asked or not any(token.named for token in before[1:])
