"""What a question asks of the tables: a plan over rows, an item by years, or why neither. No I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.tabular.footer import TOTAL
from engines.language import fold
from retrieval.sql.compiler import compile_question
from retrieval.sql.cross import Crossed, crossed
from retrieval.sql.cross.layout import cross_of
from retrieval.sql.joined import joined
from retrieval.sql.plan import Abstain, Aggregate, Plan
from retrieval.sql.wording import reason

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table
    from retrieval.sql.joined.plan import Joined

ADDING = frozenset({Aggregate.SUM, Aggregate.AVG, Aggregate.COUNT})


def understood(
    text: str, tables: Sequence[Table], *, language: str, today: dt.date
) -> Crossed | Plan | Joined | Abstain:
    """Tables of items by years are read first: over their rows nothing is added up. Rows of tables that refer
    to each other stand for things, and are read as such; other tables hold figures of events, one at a time.

    A total among the items would count twice in a sum, so such a plan is taken back.
    """
    found = crossed(text, tables)
    if found is not None:
        return found
    tied = _tied(tables)
    things = joined(text, tables) if tied else None
    if things is not None and tied & {*things.tables}:
        return things
    plan = _of_one(text, tables, language, today)
    if isinstance(plan, Plan) and plan.table in tied:
        return Abstain(reason("related", language))
    return plan


def _tied(tables: Sequence[Table]) -> set[str]:
    """The tables that refer to another of `tables`, or are referred to."""
    held = {table.sql_name for table in tables}
    links = [link for table in tables for link in table.links if link.parent in held]
    return {name for link in links for name in (link.child, link.parent)}


def _of_one(text: str, tables: Sequence[Table], language: str, today: dt.date) -> Plan | Abstain:
    plan = compile_question(text, tables, language=language, today=today)
    if isinstance(plan, Abstain) or plan.aggregate not in ADDING:
        return plan
    table = next(table for table in tables if table.sql_name == plan.table)
    if _with_totals(table):
        return Abstain(reason("with_totals", language, table=table.title))
    return plan


def _with_totals(table: Table) -> bool:
    cross = cross_of(table)
    return cross is not None and any(TOTAL.match(fold(value)) for value in cross.key.values)
