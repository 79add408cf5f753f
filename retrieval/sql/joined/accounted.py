"""Whether a plan holds all that the question said: no noun, value, number or computing word was dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.filters import Unclear
from retrieval.sql.joined.plan import Any, Related, Shared, Test
from retrieval.sql.plan import Aggregate, Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retrieval.sql.joined.graph import Graph
    from retrieval.sql.joined.index import Ref
    from retrieval.sql.joined.lexemes import Lex
    from retrieval.sql.joined.plan import Condition, Item, Joined

NAMES = frozenset({"name", "names", "nome", "nomes", "title", "titles", "titulo", "titulos"})
FIGURES = {"avg": Aggregate.AVG, "sum": Aggregate.SUM}
COUNTS = frozenset({Aggregate.COUNT, Aggregate.DISTINCT})
UPWARD, DOWNWARD = frozenset({Op.GT, Op.GE}), frozenset({Op.LT, Op.LE})


def accounted(lexemes: Iterable[Lex], plan: Joined, graph: Graph) -> None:
    """Raises Unclear for the first lexeme that the plan does without."""
    tests = list(_tests(plan.conditions)) + list(plan.having)
    refs = {item.ref for item in _items(plan, tests) if item.ref is not None} | {*plan.groups}
    tables = {*plan.tables}
    for lex in lexemes:
        if lex.kind == "noun" and not _noun(lex, refs, tables, plan, graph):
            raise Unclear("unused", word=lex.text)
        if lex.kind in {"value", "quote"} and lex.values and not _value(lex, tests):
            raise Unclear("unused", word=lex.text)
        if lex.kind == "number" and not _number(lex, plan, tests):
            raise Unclear("unused", word=lex.text)
        if not _computed(lex.kind, plan, tests):
            raise Unclear("unused", word=lex.text)


def _noun(lex: Lex, refs: set[Ref], tables: set[str], plan: Joined, graph: Graph) -> bool:
    if lex.text in NAMES or {*lex.columns} & refs or {*lex.tables} & tables:
        return True
    # Rows that each asked row belongs to need no join unless something is held against them.
    return any(graph.to_one(plan.root, table) for table in lex.tables)


def _value(lex: Lex, tests: list[Test]) -> bool:
    held = {(test.item.ref, value) for test in tests for value in test.values}
    return any((ref, value) in held for ref, values in lex.values.items() for value in values)


def _number(lex: Lex, plan: Joined, tests: list[Test]) -> bool:
    said: set[float] = {
        plan.limit,
        *(c.count for c in _flat(plan.conditions) if isinstance(c, Related) and c.op),
    }
    said |= {value for test in tests for value in test.values if isinstance(value, int | float)}
    years = {
        value.year
        for test in tests
        for value in test.values
        if not isinstance(value, str | int | float | bool)
    }
    return lex.number in said | years or lex.number + 1 in years


def _computed(kind: str, plan: Joined, tests: list[Test]) -> bool:
    """Whether a word of computing left its trace in the plan."""
    figures = {item.aggregate for item in _items(plan, tests)}
    if kind in FIGURES:
        return FIGURES[kind] in figures
    if kind in {"max", "min"}:
        wanted = Aggregate.MAX if kind == "max" else Aggregate.MIN
        return wanted in figures or bool(plan.limit)
    if kind in {"extreme", "latest", "earliest", "common", "rare"}:
        return bool(plan.limit)
    if kind == "count":
        numbered = any(item.aggregate is Aggregate.NONE for item in plan.items)
        return bool(COUNTS & figures) or numbered
    if kind in {"order", "asc", "desc"}:
        return bool(plan.order)
    if kind in {"not", "without", "other_than"}:
        return any(_denied(condition) for condition in _flat(plan.conditions))
    if kind in {"more", "at_least", "or_more", "less", "at_most", "or_less"}:
        return _bounded(kind, plan, tests)
    return kind != "or" or _alternatives(plan, tests)


def _bounded(kind: str, plan: Joined, tests: list[Test]) -> bool:
    ops = {test.op for test in tests}
    ops |= {c.op for c in _flat(plan.conditions) if isinstance(c, Related) and c.op is not None}
    return bool(ops & (UPWARD if kind in {"more", "at_least", "or_more"} else DOWNWARD))


def _alternatives(plan: Joined, tests: list[Test]) -> bool:
    several = any(test.op is Op.EQ and len(test.values) > 1 for test in tests)
    return several or any(isinstance(condition, Any) for condition in plan.conditions)


def _denied(condition: Condition) -> bool:
    if isinstance(condition, Test):
        return condition.negated
    if isinstance(condition, Related):
        return condition.negated or any(test.negated for test in condition.tests)
    return False


def _flat(conditions: Iterable[Condition]) -> Iterator[Condition]:
    for condition in conditions:
        if isinstance(condition, Any):
            yield from _flat(condition.conditions)
        else:
            yield condition


def _tests(conditions: Iterable[Condition]) -> Iterator[Test]:
    for condition in _flat(conditions):
        if isinstance(condition, Test):
            yield condition
        elif isinstance(condition, Related | Shared):
            yield from condition.tests


def _items(plan: Joined, tests: Iterable[Test]) -> list[Item]:
    found = [*plan.items, *(item for item, _ in plan.order)]
    for test in tests:
        found.append(test.item)
        if test.against is not None:
            found.append(test.against)
    return found
