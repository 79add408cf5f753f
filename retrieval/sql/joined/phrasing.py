"""From lexemes to what is asked, before it is known in which table each noun stands.

The question is walked once, from left to right. It names first what is wanted, then which rows; a relative
or a 'with' parts the two. Whatever finds no place raises Unclear: a question is read in full or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.cursor import SMALL
from retrieval.sql.joined.lexemes import Lex
from retrieval.sql.joined.wanting import Wanting

if TYPE_CHECKING:
    from retrieval.sql.joined.asked import Phrased

YES_OR_NO = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "será"})
LEADING = frozenset(
    {"for", "among", "of", "para", "dos", "das", "entre os", "entre as", "do", "da"}
)


def _led(lexemes: list[Lex]) -> list[Lex]:
    """A clause before the question itself, 'for the cars with 4 cylinders, …', put behind it."""
    first = next((lex for lex in lexemes if lex.kind not in SMALL), None)
    comma = next((n for n, lex in enumerate(lexemes) if lex.kind == "comma"), 0)
    if first is None or first.kind != "of" or not comma or lexemes[0].text not in LEADING:
        return lexemes
    return [*lexemes[comma + 1 :], Lex("restart", ""), *lexemes[1:comma]]


class Walk(Wanting):
    """One pass over the lexemes."""

    def run(self) -> Phrased:
        unknown = [lex.text for lex in self.lexemes if not lex.kind]
        if unknown:
            raise Unclear("unused", word=unknown[0])
        if self.lexemes and self.lexemes[0].text.casefold() in YES_OR_NO:
            raise Unclear("nothing_asked")
        self.lexemes = _led(self.lexemes)
        while self.peek() is not None:
            lex = self.take()
            step = getattr(self, f"on_{lex.kind}", None)
            if step is None:
                raise Unclear("unused", word=lex.text)
            step(lex)
        self.settle()
        if self.negated or self.top or self.fresh:
            raise Unclear("negation" if self.negated else "nothing_asked")
        return self.found
