"""The tables as a graph of joins: which way leads from one to another, and whether to one row or to many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear

if TYPE_CHECKING:
    from retrieval.sql.joined.keys import Link

LONGEST = 4
MANY = 1.5


class Graph:
    """Shortest ways over links, each taken in both directions."""

    def __init__(self, links: tuple[Link, ...]) -> None:
        self.near: dict[str, list[tuple[str, Link]]] = {}
        for link in links:
            self.near.setdefault(link.child, []).append((link.parent, link))
            self.near.setdefault(link.parent, []).append((link.child, link))

    def paths(self, one: str, other: str) -> list[tuple[Link, ...]]:
        """All shortest ways from one table to another; none where they are not joined."""
        if one == other:
            return [()]
        ways: list[tuple[str, tuple[Link, ...], frozenset[str]]] = [(one, (), frozenset({one}))]
        for _ in range(LONGEST):
            grown = [
                (after, (*way, link), seen | {after})
                for at, way, seen in ways
                for after, link in self.near.get(at, ())
                if after not in seen
            ]
            found = [way for at, way, _ in grown if at == other]
            if found:
                return found
            ways = grown
        return []

    def path(self, one: str, other: str) -> tuple[Link, ...]:
        """The one way between two tables. Raises Unclear where there is none, or more than one."""
        found = self.paths(one, other)
        if len(found) != 1:
            raise Unclear("no_way" if not found else "several_ways", one=one, other=other)
        return found[0]

    def to_one(self, one: str, other: str) -> bool:
        """Whether each row of `one` has at most one of `other`."""
        found = self.paths(one, other)
        return len(found) == 1 and single(one, found[0])

    def cost(self, one: str, other: str) -> float:
        """How far a table is; steps to many rows are longer, and what cannot be reached is far."""
        found = self.paths(one, other)
        return min((_cost(one, way) for way in found), default=99.0)


def single(start: str, way: tuple[Link, ...]) -> bool:
    at = start
    for link in way:
        if link.child != at:
            return False
        at = link.parent
    return True


def _cost(start: str, way: tuple[Link, ...]) -> float:
    at, total = start, 0.0
    for link in way:
        total += 1.0 if link.child == at else MANY
        at = link.parent if link.child == at else link.child
    return total
