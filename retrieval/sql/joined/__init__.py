"""Questions over related tables: listings, counts of related rows, bounds on them, extremes and groups.

*read*: catalogue → index → lexemes → phrased → composed → one statement. Rows are taken for things: a row of
the asked table is listed once, however many rows of others belong to it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.accounted import accounted
from retrieval.sql.joined.compose import composed
from retrieval.sql.joined.graph import Graph
from retrieval.sql.joined.index import index
from retrieval.sql.joined.lexemes import lexemes
from retrieval.sql.joined.phrasing import Walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table
    from retrieval.sql.joined.keys import Link
    from retrieval.sql.joined.plan import Joined

__all__ = ["joined"]


def joined(text: str, tables: Sequence[Table]) -> Joined | None:
    """The plan that answers `text` from `tables`, joined where one refers to another; None where a word of it
    has no place or more than one."""
    return _joined(text, tuple(tables))


@functools.lru_cache(maxsize=64)
def _joined(text: str, tables: tuple[Table, ...]) -> Joined | None:
    known = index(tables)
    try:
        said, graph = lexemes(text, known), Graph(_links(tables))
        plan = composed(Walk(said).run(), known, graph)
        accounted(said, plan, graph)
    except Unclear:
        return None
    return plan


def _links(tables: tuple[Table, ...]) -> tuple[Link, ...]:
    """The links whose both ends are among the tables."""
    held = {table.sql_name for table in tables}
    return tuple(link for table in tables for link in table.links if link.parent in held)
