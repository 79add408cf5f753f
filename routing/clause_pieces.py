"""A stretch of a message under work, and whether it can stand by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.language import content_words

if TYPE_CHECKING:
    from routing.clause_words import Lexicon, Token

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
    A pronoun is no hindrance: `completed` puts the names that it may stand for beside it.
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
    if any(token.named or words.has("anaphora", token) for token in rest):
        return False
    return len(content_words(said, language)) < (OWN_WORDS if piece.first else 1)


def _unnamed(noun: Token, before: tuple[Token, ...], words: Lexicon) -> bool:
    """Whether "that line" means no line that was named, but the one that was asked for."""
    asked = any(
        token.folded == noun.folded and words.has("weak", before[at - 1])
        for at, token in enumerate(before)
        if at
    )
    return asked or not any(token.named for token in before[1:])
