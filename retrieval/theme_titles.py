"""What a theme is called in what a reader may read. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.language import content_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    class Holds(Protocol):
        """A passage that knows which of its theme's terms stand in it, by their places."""

        @property
        def terms(self) -> Sequence[int]: ...


# A title has at least so many words that say something, and at most so many terms.
WORDS, TERMS = 2, 3


def title_of(terms: Sequence[str], told_by: Iterable[Holds]) -> str:
    """The first of `terms` that stand in the passages that the theme is told by; "" when none does.

    So the title goes with its passages: no word of it comes from elsewhere.
    """
    standing = {place for passage in told_by for place in passage.terms}
    chosen: list[str] = []
    for place, term in enumerate(terms):
        if place in standing:
            chosen.append(term)
            if len(chosen) == TERMS or sum(len(content_words(one, "")) for one in chosen) >= WORDS:
                break
    title = ", ".join(chosen)
    return title[:1].upper() + title[1:]
