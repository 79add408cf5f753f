"""How many tokens a text has, for engines that do not count them."""

from __future__ import annotations

import re

PIECE = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
LETTERS, DIGITS = 6, 3
# From here on come scripts that write without spaces, near a token a sign.
DENSE = "\u2e80"


def estimate_tokens(text: str) -> int:
    """About as many tokens as the vocabulary of XLM-R (e5, bge-m3) makes of `text`, without special ones.

    A word counts one token for each six letters begun, a number one for each three digits, any other
    sign one. Beside the real count on 373 paragraphs in Portuguese and English: 1.02 in the mean, .92
    to 1.14 for nine in ten; of source code .91.
    """
    return sum(_tokens(piece) for piece in PIECE.findall(text))


def _tokens(piece: str) -> int:
    if piece[0].isdigit():
        return -(-len(piece) // DIGITS)
    return len(piece) if piece[0] >= DENSE else -(-len(piece) // LETTERS)
