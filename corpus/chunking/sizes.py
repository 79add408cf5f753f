"""How large a passage may be, in tokens of the embedder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

Count = Callable[[str], int]
# What the two special tokens, a family's prefix ("passage: ") and the seam of heading and text may take.
SPARE = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens. `budget` is what paragraphs are packed to, `whole` up to what one paragraph stays whole,
    `atomic` up to what a table, a piece of code or a figure does. `window` is what the embedder reads of
    a passage with its heading path; more would be cut off or refused.
    """

    budget: int = 160
    whole: int = 240
    atomic: int = 320
    window: int = 512

    def beside(self, path: int) -> Limits:
        """What is left for the text beside a heading path of so many tokens."""
        room = max(1, self.window - path - SPARE)
        return replace(
            self,
            budget=min(self.budget, room),
            whole=min(self.whole, room),
            atomic=min(self.atomic, room),
            window=room,
        )


LIMITS = Limits()


def joined(path: tuple[str, ...]) -> str:
    """A heading path as it is stored and embedded."""
    return " › ".join(path)
