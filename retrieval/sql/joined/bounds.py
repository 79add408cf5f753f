"""Bounds on the asked rows themselves, on rows that they belong to, and on rows that belong to them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.asked import Filter, Scope
from retrieval.sql.joined.plan import Any, Item, Related, Shared, Test
from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from retrieval.sql.joined.asked import Phrased
    from retrieval.sql.joined.compose import Draft
    from retrieval.sql.joined.index import Ref
    from retrieval.sql.joined.plan import Condition

TRUE_SAID = frozenset({"t", "true", "yes", "y", "sim", "1"})


@dataclass(slots=True)
class Part:
    """A bound in the making: on the column of one table, within the rows that a scope speaks of."""

    glue: str
    test: Test | None = None
    table: str = ""
    scope: Scope | None = None
    negated: bool = False
    flag: bool = False
    tests: list[Test] = field(default_factory=list)


def conditions_of(asked: Phrased, draft: Draft) -> tuple[list[Condition], list[Test]]:
    """The conditions on rows, and those on groups."""
    having: list[Test] = []
    parts: list[Part] = []
    filtered = {id(part.scope) for part in asked.parts if isinstance(part, Filter) and part.scope}
    for part in asked.parts:
        if isinstance(part, Filter):
            test = _test(part, draft)
            if test.item.aggregate:
                having.append(test)
                continue
            table = test.item.ref.table if test.item.ref else draft.root
            parts.append(Part(part.glue, test, table, part.scope, part.negated, part.flag))
        else:
            made = _scope(part, asked, draft, id(part) in filtered)
            if isinstance(made, Test):
                having.append(made)
            elif made is not None:
                parts.append(made)
    return _joined(_merged(parts, asked, draft), asked, draft), having


def _scope(scope: Scope, asked: Phrased, draft: Draft, filtered: bool) -> Part | Test | None:
    """Rows that are spoken of without a bound on them: there are some, none, or so many."""
    table = draft.resolver.table(scope.lex)
    if scope.op is not None:
        if table == draft.root:
            if not draft.headed or draft.resolver.is_key(draft.items[0].ref):  # type: ignore[arg-type]
                raise Unclear("comparison")
            return Test(Item(None, Aggregate.COUNT), scope.op, (scope.count,))
        return Part(scope.glue, None, table, scope, scope.negated)
    if filtered:
        return None
    if table == draft.root or draft.resolver.graph.to_one(draft.root, table):
        if scope.negated:
            raise Unclear("negation")
        return None
    if table in _joined_tables(draft) and not scope.negated:
        return None
    return Part(scope.glue, None, table, scope, scope.negated)


def _joined_tables(draft: Draft) -> set[str]:
    return {draft.root, *(name for link in draft.joins for name in (link.child, link.parent))}


def _test(part: Filter, draft: Draft) -> Test:
    resolver = draft.resolver
    prefer = ""
    if part.scope is not None:
        prefer = resolver.table(part.scope.lex)
    if part.values is not None:
        return _value_test(part, draft, prefer)
    if part.lex is None:
        ref = resolver.concept(part.concept, prefer or draft.root)
    elif part.pattern:
        ref = resolver.column(part.lex, prefer=prefer, numeric=False)
    else:
        ref = resolver.column(part.lex, prefer=prefer, numeric=True)
    if part.pattern:
        return Test(Item(ref), Op.EQ, pattern=part.pattern)
    if part.against:
        return Test(Item(ref), part.op, against=Item(ref, part.against))
    return _number_test(part, ref, draft)


def _number_test(part: Filter, ref: Ref, draft: Draft) -> Test:
    kind = draft.resolver.known.kind(ref)
    item = Item(ref, part.aggregate)
    if kind != "date":
        plain = tuple(int(n) if n.is_integer() else n for n in part.numbers)
        return Test(item, part.op, plain)
    years = [int(number) for number in part.numbers]
    first, after = dt.date(years[0], 1, 1), dt.date(years[-1] + 1, 1, 1)
    if part.op in {Op.EQ, Op.BETWEEN}:
        return Test(item, Op.RANGE, (first, after))
    bounds = {
        Op.GT: (Op.GE, after),
        Op.GE: (Op.GE, first),
        Op.LT: (Op.LT, first),
        Op.LE: (Op.LT, after),
    }
    op, day = bounds[part.op]
    return Test(item, op, (day,))


def _value_test(part: Filter, draft: Draft, prefer: str) -> Test:
    assert part.values is not None
    resolver, listed = draft.resolver, [*part.values.values]
    if part.lex is not None:
        named = [ref for ref in listed if ref in part.lex.columns]
        listed = named or listed
    listed = _likeliest(listed, draft, prefer)
    ref = resolver.nearest(listed, replace(part.values, columns={}), prefer)
    return Test(Item(ref), Op.EQ, part.values.values[ref])


def _likeliest(listed: list[Ref], draft: Draft, prefer: str) -> list[Ref]:
    """Of several columns of one table that hold a value, the one that rows are called by."""
    kept: list[Ref] = []
    for table in dict.fromkeys(ref.table for ref in listed):
        mine = [ref for ref in listed if ref.table == table]
        if len(mine) > 1:
            try:
                label = draft.resolver.label(table)
            except Unclear:
                label = None
            mine = [label] if label in mine else mine
        kept += mine
    return kept


def _merged(parts: list[Part], asked: Phrased, draft: Draft) -> list[Part]:
    """Bounds of one scope together; values of one column, said side by side, are alternatives."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and _alternative(last, part, asked, draft):
            test = last.tests[-1]
            values = (*test.values, *part.test.values)  # type: ignore[union-attr]
            last.tests[-1] = replace(test, values=tuple(dict.fromkeys(values)))
            continue
        same = next((one for one in found if _together(one, part, draft)), None)
        if same is not None and part.test is not None:
            same.tests.append(part.test)
            same.table = _farther(same.table, part.table, draft)
            continue
        part.tests = [part.test] if part.test is not None else []
        found.append(part)
    return found


def _alternative(last: Part, part: Part, asked: Phrased, draft: Draft) -> bool:
    if part.test is None or not last.tests or last.scope is not part.scope:
        return False
    one, two = last.tests[-1], part.test
    plain = one.op is two.op is Op.EQ and not one.pattern and not two.pattern
    if not plain or one.item != two.item or last.negated != part.negated:
        return False
    single = draft.resolver.graph.to_one(draft.root, part.table)
    return part.glue == "or" or (single and not asked.both and not draft.headed)


def _together(one: Part, part: Part, draft: Draft) -> bool:
    """Whether a bound belongs to the same related rows as one before it."""
    if part.test is None or part.glue == "or":
        return False
    if part.flag or one.flag:
        same = one.table == part.table and one.negated == part.negated
        return same and not draft.resolver.graph.to_one(draft.root, part.table)
    if part.scope is None or one.scope is not part.scope:
        return False
    if draft.resolver.graph.to_one(draft.root, part.table):
        return False
    clash = any(test.item == part.test.item and test.op is part.test.op for test in one.tests)
    return not clash and one.negated == part.negated


def _farther(one: str, other: str, draft: Draft) -> str:
    cost = draft.resolver.graph.cost
    return one if cost(draft.root, one) >= cost(draft.root, other) else other


def _joined(parts: list[Part], asked: Phrased, draft: Draft) -> list[Condition]:
    made = [(part.glue, one) for part in parts for one in _conditions(part, draft)]
    tests = [one for _, one in made if isinstance(one, Test)]
    if _shares(tests, asked, draft) and len(tests) == len(made):
        ref = draft.items[0].ref
        assert ref is not None
        return [Shared(ref, (test,)) for test in tests]
    found: list[Condition] = []
    for place, (glue, condition) in enumerate(made):
        if glue == "or" and place:
            last = found.pop()
            held = last.conditions if isinstance(last, Any) else (last,)
            found.append(Any((*held, condition)))
        else:
            found.append(condition)
    if len(found) > 1 and any(isinstance(one, Any) for one in found):
        raise Unclear("comparison")
    _consistent(found)
    _apart(found)
    return found


def _shares(tests: list[Test], asked: Phrased, draft: Draft) -> bool:
    """'citizenships of people born before 1945 and after 1955': two sets of rows that share a value."""
    if len(tests) != 2 or not draft.headed or len(draft.items) != 1:
        return False
    one, two = tests
    if one.item != two.item or one.item.ref is None or one.item.ref.table != draft.root:
        return False
    apart = {one.op, two.op} == {Op.LT, Op.GT} and float(one.values[0]) < float(two.values[0])  # type: ignore[arg-type]
    if one.op is Op.GT and apart:
        apart = False
    return apart or (one.op is two.op is Op.EQ)


def _consistent(found: list[Condition]) -> None:
    """One row has one value of a column: two that are asked of it at once say that it was misread."""
    equal = [
        one.item for one in found if isinstance(one, Test) and one.op is Op.EQ and not one.negated
    ]
    if len(equal) != len({*equal}):
        raise Unclear("several_of_one")


def _apart(found: list[Condition]) -> None:
    """'whose courses were not arranged': rows that there are and that there are not, on one way."""
    related = [one for one in found if isinstance(one, Related)]
    denied = [one for one in related if one.negated and not one.tests]
    for one in denied:
        if any(other is not one and {*one.path} & {*other.path} for other in related):
            raise Unclear("negation")


def _conditions(part: Part, draft: Draft) -> list[Condition]:
    """A bound on rows that are joined for what is shown of them holds for those very rows."""
    scope = part.scope
    counted = scope is not None and (scope.op is not None or scope.negated)
    if part.tests and not counted and not part.negated and part.table in _joined_tables(draft):
        return list(part.tests)
    return [_condition(part, draft)]


def _condition(part: Part, draft: Draft) -> Condition:
    resolver, graph = draft.resolver, draft.resolver.graph
    scope = part.scope
    if scope is not None and scope.op is not None:
        table = resolver.table(scope.lex)
        if graph.to_one(draft.root, table):
            raise Unclear("comparison")
        if part.tests and not all(t.item.ref and t.item.ref.table == table for t in part.tests):
            raise Unclear("comparison")
        path = graph.path(draft.root, table)
        return Related(table, path, tuple(part.tests), False, scope.op, scope.count)
    negated = part.negated or (scope is not None and scope.negated)
    if part.tests and graph.to_one(draft.root, part.table):
        draft.reach(part.table)
        if len(part.tests) != 1:
            raise Unclear("comparison")
        return replace(part.tests[0], negated=negated)
    path = graph.path(draft.root, part.table)
    return Related(part.table, path, tuple(part.tests), negated)
