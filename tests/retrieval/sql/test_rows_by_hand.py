"""What a statement gives is what plain Python makes of the same rows, for plans and rows drawn at random."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.sql import guard, render
from retrieval.sql.catalogue import Column, Table
from retrieval.sql.joined.index import Ref
from retrieval.sql.joined.keys import Link
from retrieval.sql.joined.plan import Any as AnyOf
from retrieval.sql.joined.plan import Item, Joined, Related
from retrieval.sql.joined.plan import Test as Bound
from retrieval.sql.joined.render import statement
from retrieval.sql.plan import Aggregate, Condition, Group, Op, Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from retrieval.sql.joined.plan import Condition as Held

pytestmark = pytest.mark.django_db
SCHEMA = "by_hand"
TEXTS = ("red", "blue", "o'hara", "100%")
Rows = list[dict[str, Any]]
PARENT = Table(
    SCHEMA, "parent", "parent", 1,
    columns=(Column("id", "id", "integer"), Column("size", "size", "integer"),
             Column("kind", "kind", "text")),
)  # fmt: skip
CHILD = Table(
    SCHEMA, "child", "child", 1,
    columns=(Column("no", "no", "integer"), Column("parent_id", "parent_id", "integer"),
             Column("worth", "worth", "integer"), Column("tag", "tag", "text")),
)  # fmt: skip
LINK = Link("child", "parent_id", "parent", "id")
COMPARE: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: lambda a, b: a == b, Op.NE: lambda a, b: a != b, Op.GT: lambda a, b: a > b,
    Op.GE: lambda a, b: a >= b, Op.LT: lambda a, b: a < b, Op.LE: lambda a, b: a <= b,
}  # fmt: skip
FIGURES = [
    Aggregate.COUNT,
    Aggregate.SUM,
    Aggregate.AVG,
    Aggregate.MIN,
    Aggregate.MAX,
    Aggregate.DISTINCT,
]
NUMBERS = st.integers(-3, 5)
MAYBE = st.one_of(st.none(), NUMBERS)


@st.composite
def data(draw: st.DrawFn) -> tuple[Rows, Rows]:
    parents = [
        {"id": key, "size": draw(MAYBE), "kind": draw(st.sampled_from(TEXTS))}
        for key in range(1, draw(st.integers(0, 4)) + 1)
    ]
    keys = [row["id"] for row in parents]
    children = [
        {
            "no": no,
            "parent_id": draw(st.sampled_from(keys)) if keys else None,
            "worth": draw(MAYBE),
            "tag": draw(st.sampled_from(TEXTS)),
        }
        for no in range(1, draw(st.integers(0, 7)) + 1)
    ]
    return parents, children


def bounds_on(table: str, number: str, text: str) -> st.SearchStrategy[Bound]:
    """Bounds on the columns of one table."""
    numeric = st.builds(
        lambda op, value, no: Bound(Item(Ref(table, number)), op, (value,), negated=no),
        st.sampled_from(list(COMPARE)),
        NUMBERS,
        st.booleans(),
    )
    between = st.builds(
        lambda a, b: Bound(Item(Ref(table, number)), Op.BETWEEN, (min(a, b), max(a, b))),
        NUMBERS,
        NUMBERS,
    )
    textual = st.builds(
        lambda values, no: Bound(Item(Ref(table, text)), Op.EQ, tuple(values), negated=no),
        st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2, unique=True),
        st.booleans(),
    )
    return st.one_of(numeric, between, textual)


ON_PARENT, ON_CHILD = bounds_on("parent", "size", "kind"), bounds_on("child", "worth", "tag")
RELATED = st.builds(
    lambda tests, no, op, count: Related(
        "child", (LINK,), tuple(tests), no and op is None, op, count if op else 0
    ),
    st.lists(ON_CHILD, max_size=2),
    st.booleans(),
    st.one_of(st.none(), st.sampled_from(list(COMPARE))),
    st.integers(0, 3),
)
ONE = st.one_of(ON_PARENT, RELATED)
HELD = st.one_of(ONE, st.builds(lambda a, b: AnyOf((a, b)), ONE, ONE))


@st.composite
def plans(draw: st.DrawFn) -> Joined:
    """Listings, figures and groups of the parents, alone or each with its children."""
    joined = draw(st.booleans())
    number = Ref("child", "worth") if joined else Ref("parent", "size")
    conditions = tuple(draw(st.lists(HELD, max_size=2)))
    joins = (LINK,) if joined else ()
    figure = draw(
        st.sampled_from(
            [
                Item(None, Aggregate.COUNT),
                *(Item(number, each) for each in FIGURES[1:5]),
                Item(number, Aggregate.DISTINCT),
            ]
        )
    )  # fmt: skip
    kind = Ref("parent", "kind")
    shape = draw(st.sampled_from(["list", "figure", "group"]))
    if shape == "list":
        items = (Item(kind), Item(number))
        down = draw(st.sampled_from([None, True, False]))
        order = ((Item(number), down),) if down is not None else ()
        limit = draw(st.integers(1, 3)) if order and draw(st.booleans()) else 0
        distinct = not limit and draw(st.booleans())
        return Joined("parent", items, joins, conditions, (), (), order, limit, distinct)
    if shape == "figure":
        return Joined("parent", (figure,), joins, conditions)
    having = (Bound(Item(None, Aggregate.COUNT), Op.GT, (1,)),) if draw(st.booleans()) else ()
    return Joined("parent", (Item(kind), figure), joins, conditions, (kind,), having)


def truth(test: Bound, row: dict[str, Any]) -> bool | None:
    """SQL's three values: None where a cell is empty."""
    assert test.item.ref is not None
    cell = row[test.item.ref.column]
    if cell is None:
        return None
    if test.op is Op.BETWEEN:
        low, high = test.values
        found = low <= cell <= high
    elif len(test.values) > 1:
        found = cell in test.values
    else:
        found = COMPARE[test.op](cell, test.values[0])
    return not found if test.negated else found


def holds(held: Held, parent: dict[str, Any], children: Rows) -> bool | None:
    if isinstance(held, Bound):
        return truth(held, parent)
    if isinstance(held, AnyOf):
        found = [holds(one, parent, children) for one in held.conditions]
        return True if True in found else None if None in found else False
    assert isinstance(held, Related)
    near = [
        row
        for row in children
        if row["parent_id"] == parent["id"] and all(truth(test, row) for test in held.tests)
    ]
    if held.op is not None:
        return COMPARE[held.op](len(near), held.count)
    return bool(near) != held.negated


def figure(item: Item, rows: Rows) -> Any:
    if item.ref is None:
        return len(rows)
    cells = [row[item.ref.column] for row in rows if row[item.ref.column] is not None]
    if item.aggregate is Aggregate.DISTINCT:
        return len({*cells})
    if not cells:
        return None
    ways: dict[Aggregate, Callable[[list[int]], float]] = {
        Aggregate.SUM: sum, Aggregate.MIN: min, Aggregate.MAX: max,
        Aggregate.AVG: lambda listed: sum(listed) / len(listed),
    }  # fmt: skip
    return ways[item.aggregate](cells)


def by_hand(plan: Joined, parents: Rows, children: Rows) -> list[tuple[Any, ...]]:
    kept = [p for p in parents if all(holds(one, p, children) for one in plan.conditions)]
    rows = (
        [{**c, **p} for p in kept for c in children if c["parent_id"] == p["id"]]
        if plan.joins
        else kept
    )
    if plan.groups:
        by_kind: dict[str, Rows] = {}
        for row in rows:
            by_kind.setdefault(row["kind"], []).append(row)
        least = 2 if plan.having else 1
        grouped = [(key, held) for key, held in by_kind.items() if len(held) >= least]
        return [(key, figure(plan.items[1], held)) for key, held in grouped]
    if plan.items[0].aggregate:
        return [(figure(plan.items[0], rows),)]
    columns = [item.ref.column for item in plan.items if item.ref is not None]
    if plan.limit:
        (item, down), *_ = plan.order
        assert item.ref is not None
        number = item.ref.column
        rows = sorted(
            (row for row in rows if row[number] is not None),
            key=lambda row: row[number],
            reverse=down,
        )
        last = rows[min(plan.limit, len(rows)) - 1][number] if rows else None
        rows = [r for n, r in enumerate(rows) if n < plan.limit or r[number] == last]
    found = [tuple(row[column] for column in columns) for row in rows]
    return list(dict.fromkeys(found)) if plan.distinct else found


@pytest.fixture
def stored() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {SCHEMA}")
        cursor.execute(f"CREATE TABLE {SCHEMA}.parent (id bigint, size bigint, kind text)")
        cursor.execute(
            f"CREATE TABLE {SCHEMA}.child (no bigint, parent_id bigint, worth bigint, tag text)"
        )


def fill(parents: Rows, children: Rows) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {SCHEMA}.parent, {SCHEMA}.child")
        for name, rows in (("parent", parents), ("child", children)):
            for row in rows:
                marks = ", ".join(["%s"] * len(row))
                cursor.execute(f"INSERT INTO {SCHEMA}.{name} VALUES ({marks})", [*row.values()])


def run(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(guard.guarded(sql, [PARENT, CHILD]))
        return list(cursor.fetchall())


def plain(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(
        tuple(
            cell if cell is None or isinstance(cell, str) else round(float(cell), 6) for cell in row
        )
        for row in rows
    )


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(held=data(), plan=plans())
def test_a_plan_over_joined_tables_gives_what_plain_python_gives(
    stored: None, held: tuple[Rows, Rows], plan: Joined
) -> None:
    fill(*held)
    found = run(statement(plan).sql(dialect="postgres"))
    assert plain(found) == plain(by_hand(plan, *held))
    if plan.order:
        number = [row[1] for row in found if row[1] is not None]
        assert number == sorted(number, reverse=plan.order[0][1])


CONDITIONS = st.one_of(
    st.builds(
        lambda op, value: Condition("worth", op, (value,)),
        st.sampled_from([Op.EQ, Op.NE, Op.GT, Op.GE, Op.LT, Op.LE]),
        NUMBERS,
    ),
    st.builds(
        lambda op, values: Condition("tag", op, tuple(values)),
        st.sampled_from([Op.EQ, Op.NE]),
        st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2, unique=True),
    ),
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    held=data(),
    kind=st.sampled_from(FIGURES),
    conditions=st.lists(CONDITIONS, max_size=2),
    grouped=st.booleans(),
)
def test_a_plan_over_one_table_gives_what_plain_python_gives(
    stored: None,
    held: tuple[Rows, Rows],
    kind: Aggregate,
    conditions: list[Condition],
    grouped: bool,
) -> None:
    fill(*held)
    groups = (Group("tag"),) if grouped else ()
    plan = Plan("child", kind, "worth", conditions=tuple(conditions), groups=groups)
    found = run(render.statement(plan, CHILD).sql(dialect="postgres"))
    rows = [row for row in held[1] if all(_passes(one, row) for one in conditions)]
    item = Item(None if kind is Aggregate.COUNT else Ref("child", "worth"), kind)
    if not grouped:
        assert plain(found) == plain([(figure(item, rows),)])
        return
    tags = dict.fromkeys(row["tag"] for row in rows)
    by_tag = [(tag, figure(item, [row for row in rows if row["tag"] == tag])) for tag in tags]
    assert plain(found) == plain(by_tag)


def _passes(condition: Condition, row: dict[str, Any]) -> bool:
    cell = row[condition.column]
    if cell is None:
        return False
    if condition.op in {Op.EQ, Op.NE}:
        return (cell in condition.values) == (condition.op is Op.EQ)
    return COMPARE[condition.op](cell, condition.values[0])


def test_b9_a_count_is_over_all_102_records_and_never_over_what_was_found(stored: None) -> None:
    parents = [{"id": n, "size": n % 7, "kind": "red"} for n in range(1, 103)]
    fill(parents, [])
    count = Joined("parent", (Item(None, Aggregate.COUNT),))
    total = Joined("parent", (Item(Ref("parent", "size"), Aggregate.SUM),))
    assert run(statement(count).sql(dialect="postgres")) == [(102,)]
    assert math.isclose(
        float(run(statement(total).sql(dialect="postgres"))[0][0]),
        sum(n % 7 for n in range(1, 103)),
    )
