"""Evidence for the gray zone: what a question's words say, and what the stores hold of them."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from engines.language import fold
from routing.values import GRAPH, RELATIONAL, ROUTES, VECTORIAL, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable

CUE_WEIGHT, TERM_WEIGHT = 0.6, 0.4


@functools.cache
def cues() -> dict[str, tuple[str, ...]]:
    """Folded phrases that ask for a kind of answer, per route, longest first."""
    path = Path(__file__).parent / "data" / "cues.toml"
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        route: tuple(sorted({fold(cue) for cue in lists[route]["cues"]}, key=len, reverse=True))
        for route in ROUTES
    }


def cue_hits(folded: str, route: str) -> tuple[str, ...]:
    """The route's cues that stand in the folded text as whole words."""
    padded = f" {folded} "
    return tuple(cue for cue in cues()[route] if f" {cue} " in padded)


def combine(text: str, terms: Iterable[tuple[str, str]]) -> tuple[Evidence, ...]:
    """Evidence per route from the question's own words and from `terms` (route, name held).

    A cue counts 0.6 and names that only this store holds count up to 0.4; both are in [0, 1] together.
    """
    folded = " ".join("".join(c if c.isalnum() else " " for c in fold(text)).split())
    held: dict[str, list[str]] = {route: [] for route in ROUTES}
    for route, name in terms:
        held.setdefault(route, []).append(name)
    everywhere = set.intersection(*(set(names) for names in held.values())) if held else set()
    found = []
    for route in ROUTES:
        said = cue_hits(folded, route)
        own = [name for name in dict.fromkeys(held[route]) if name not in everywhere]
        score = CUE_WEIGHT * min(1.0, 0.5 + 0.25 * len(said)) * bool(said)
        score += TERM_WEIGHT * min(1.0, len(own) / 3)
        found.append(Evidence(route, score, (*said, *own)))
    return tuple(found)


__all__ = ["GRAPH", "RELATIONAL", "VECTORIAL", "combine", "cue_hits", "cues"]
