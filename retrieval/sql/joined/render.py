"""From a plan over related tables to a statement, built as a syntax tree and never as text."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlglot import exp

from retrieval.sql.joined.index import Ref
from retrieval.sql.joined.plan import Any, Item, Related, Shared, Test
from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from retrieval.sql.joined.keys import Link
    from retrieval.sql.joined.plan import Condition, Joined
    from retrieval.sql.plan import Literal

ROW_CAP = 1_000
COMPARED: dict[Op, type[exp.Expr]] = {
    Op.EQ: exp.EQ, Op.NE: exp.NEQ, Op.GT: exp.GT, Op.GE: exp.GTE, Op.LT: exp.LT, Op.LE: exp.LTE,
}  # fmt: skip
FUNCTIONS: dict[Aggregate, type[exp.Expr]] = {
    Aggregate.SUM: exp.Sum, Aggregate.AVG: exp.Avg, Aggregate.MIN: exp.Min, Aggregate.MAX: exp.Max,
}  # fmt: skip


class Names:
    """The alias of each table in one SELECT; inner ones count on, so that none hides an outer one."""

    def __init__(self, first: int = 1) -> None:
        self.next, self.of = first, dict[str, str]()

    def alias(self, table: str) -> str:
        if table not in self.of:
            self.of[table] = f"t{self.next}"
            self.next += 1
        return self.of[table]

    def column(self, ref: Ref) -> exp.Column:
        return exp.column(ref.column, table=self.alias(ref.table), quoted=True)


def statement(plan: Joined) -> exp.Select:
    names = Names()
    query = exp.Select().from_(_table(plan.root, names))
    for table, link in steps(plan.root, plan.joins):
        query = query.join(_table(table, names), on=_on(link, names))
    for condition in plan.conditions:
        query = query.where(_condition(condition, plan.root, names))
    items = [_item(item, names) for item in plan.items]
    heads = _heads(plan.items)
    query = query.select(
        *[exp.alias_(made, head, quoted=True) for made, head in zip(items, heads, strict=True)]
    )
    if plan.distinct:
        query = query.distinct()
    if plan.groups:
        query = query.group_by(*[names.column(ref) for ref in plan.groups])
    for test in plan.having:
        query = query.having(_test(test, names))
    return _ordered(query, plan, names)


def steps(root: str, joins: tuple[Link, ...]) -> list[tuple[str, Link]]:
    """The joins in an order in which each brings one new table to those that stand."""
    held, found, left = {root}, list[tuple[str, "Link"]](), [*joins]
    while left:
        link = next(one for one in left if (one.child in held) or (one.parent in held))
        left.remove(link)
        table = link.parent if link.child in held else link.child
        if table not in held:
            held.add(table)
            found.append((table, link))
    return found


def _heads(items: tuple[Item, ...]) -> list[str]:
    """Names of the answer's columns, each once."""
    found: list[str] = []
    for item in items:
        said = item.aggregate.split()[0] if item.aggregate else ""
        head = "_".join(part for part in (said, item.ref.column if item.ref else "") if part)
        while head in found:
            head += "_"
        found.append(head)
    return found


def _ordered(query: exp.Select, plan: Joined, names: Names) -> exp.Select:
    for item, down in plan.order:
        made = exp.Ordered(this=_item(item, names), desc=down, nulls_first=False)
        query = query.order_by(made)
        if plan.limit and item.ref is not None and item.aggregate is Aggregate.NONE:
            known = exp.Not(this=exp.Is(this=names.column(item.ref), expression=exp.Null()))
            query = query.where(known)
    if not plan.limit:
        return query.limit(ROW_CAP)
    fetch = exp.Fetch(
        direction="FIRST",
        count=exp.Literal.number(plan.limit),
        limit_options=exp.LimitOptions(rows=True, with_ties=True),
    )
    query.set("limit", fetch)
    return query


def _table(name: str, names: Names) -> exp.Table:
    made: exp.Table = exp.to_table(name, quoted=True)
    made.set("alias", exp.TableAlias(this=exp.to_identifier(names.alias(name), quoted=True)))
    return made


def _on(link: Link, names: Names) -> exp.Expr:
    return exp.EQ(
        this=names.column(Ref(link.child, link.column)),
        expression=names.column(Ref(link.parent, link.key)),
    )


def _item(item: Item, names: Names) -> exp.Expr:
    if item.ref is None:
        return exp.Count(this=exp.Star())
    column: exp.Expr = names.column(item.ref)
    if item.aggregate is Aggregate.NONE:
        return column
    if item.aggregate is Aggregate.COUNT:
        return exp.Count(this=column)
    if item.aggregate is Aggregate.DISTINCT:
        return exp.Count(this=exp.Distinct(expressions=[column]))
    return FUNCTIONS[item.aggregate](this=column)


def _condition(condition: Condition, root: str, names: Names) -> exp.Expr:
    if isinstance(condition, Test):
        return _test(condition, names)
    if isinstance(condition, Any):
        return exp.paren(exp.or_(*[_condition(one, root, names) for one in condition.conditions]))
    if isinstance(condition, Shared):
        return _shared(condition, names)
    return _related(condition, root, names)


def _related(condition: Related, root: str, names: Names) -> exp.Expr:
    """A subquery over the path, whose first link is to the row of the outer query."""
    inner = Names(names.next + 10)
    first, *others = condition.path
    near = first.child if first.parent == root else first.parent
    query = exp.Select().from_(_table(near, inner))
    for table, link in steps(near, tuple(others)):
        query = query.join(_table(table, inner), on=_on(link, inner))
    mine, theirs = (first.key, first.column) if first.parent == root else (first.column, first.key)
    query = query.where(
        exp.EQ(this=inner.column(Ref(near, theirs)), expression=names.column(Ref(root, mine)))
    )
    for test in condition.tests:
        query = query.where(_test(test, inner))
    names.next = inner.next
    if condition.op is None:
        there = exp.Exists(this=query.select(inner.column(Ref(near, theirs))))
        return exp.Not(this=there) if condition.negated else there
    counted = exp.Subquery(this=query.select(exp.Count(this=exp.Star())))
    return COMPARED[condition.op](this=counted, expression=exp.convert(condition.count))


def _shared(condition: Shared, names: Names) -> exp.Expr:
    inner = Names(names.next + 10)
    query = exp.Select().from_(_table(condition.ref.table, inner))
    for test in condition.tests:
        query = query.where(_test(test, inner))
    query = query.select(inner.column(condition.ref))
    names.next = inner.next
    return exp.In(this=names.column(condition.ref), query=exp.Subquery(this=query))


def _test(test: Test, names: Names) -> exp.Expr:
    column = _item(test.item, names)
    if test.against is not None and test.against.ref is not None:
        inner = Names(names.next + 10)
        query = exp.Select().from_(_table(test.against.ref.table, inner))
        query = query.select(_item(test.against, inner))
        names.next = inner.next
        return COMPARED[test.op](this=column, expression=exp.Subquery(this=query))
    made = _held(column, test)
    return exp.Not(this=exp.paren(made)) if test.negated else made


def _held(column: exp.Expr, test: Test) -> exp.Expr:
    if test.pattern:
        return exp.ILike(this=column, expression=exp.Literal.string(test.pattern))
    values = [_literal(value) for value in test.values]
    if test.op is Op.BETWEEN:
        return exp.Between(this=column, low=values[0], high=values[1])
    if test.op is Op.RANGE:
        low = exp.GTE(this=column, expression=values[0])
        return exp.and_(low, exp.LT(this=column.copy(), expression=values[1]))
    if len(values) > 1 and test.op in {Op.EQ, Op.NE}:
        inside = exp.In(this=column, expressions=values)
        return exp.Not(this=inside) if test.op is Op.NE else inside
    return COMPARED[test.op](this=column, expression=values[0])


def _literal(value: Literal) -> exp.Expr:
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, dt.date):
        return exp.cast(exp.Literal.string(value.isoformat()), "date")
    made: exp.Expr = exp.convert(value)
    return made
