"""A question over related tables as it was understood: typed, frozen, and small enough to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.sql.plan import Aggregate, Literal, Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table
    from retrieval.sql.joined.index import Ref
    from retrieval.sql.joined.keys import Link


@dataclass(frozen=True, slots=True)
class Item:
    """A column, an aggregate of one, or of COUNT the rows where there is no column."""

    ref: Ref | None = None
    aggregate: Aggregate = Aggregate.NONE


@dataclass(frozen=True, slots=True)
class Test:
    """`item` held against values, or against `against` computed over all rows of its table.

    LIKE is said by `pattern`, a text with % where anything may stand."""

    item: Item
    op: Op
    values: tuple[Literal, ...] = ()
    pattern: str = ""
    against: Item | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Rows of `table`, reached from the asked ones over `path`, that pass `tests`: some of them, none of
    them (`negated`), or as many as `op` `count` says."""

    table: str
    path: tuple[Link, ...]
    tests: tuple[Test, ...] = ()
    negated: bool = False
    op: Op | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of the conditions."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """Rows whose value of `ref` also stands in a row that passes `tests`."""

    ref: Ref
    tests: tuple[Test, ...]


Condition = Test | Related | Any | Shared


@dataclass(frozen=True, slots=True)
class Joined:
    """One statement: rows of `root` and of the tables that `joins` reach from it, each joined once.

    With an aggregate among `items` or `order` and with `groups` they are grouped. `limit` 0 means all rows;
    those that share the last place are kept where `limit` is set. `order` is (item, largest first).
    """

    root: str
    items: tuple[Item, ...]
    joins: tuple[Link, ...] = ()
    conditions: tuple[Condition, ...] = ()
    groups: tuple[Ref, ...] = ()
    having: tuple[Test, ...] = ()
    order: tuple[tuple[Item, bool], ...] = ()
    limit: int = 0
    distinct: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table that is read, the asked one first."""
        found = [self.root]
        for link in self.joins:
            found += [link.child, link.parent]
        for condition in _flat(self.conditions):
            if isinstance(condition, Related):
                found += [name for link in condition.path for name in (link.child, link.parent)]
        return tuple(dict.fromkeys(found))

    def read_of(self, tables: Sequence[Table]) -> list[Table]:
        """Those of `tables` that the plan reads."""
        return [table for table in tables if table.sql_name in self.tables]


def _flat(conditions: tuple[Condition, ...]) -> list[Condition]:
    found: list[Condition] = []
    for condition in conditions:
        found += _flat(condition.conditions) if isinstance(condition, Any) else [condition]
    return found
