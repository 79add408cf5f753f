"""The largest and the smallest: of groups, of rows, or of one column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.sql import (
    amounts,
    counting,
    lexicon,
    matching,
    measures,
    rates,
    targets,
    totals,
)
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Aggregate, Condition, Group, Plan
from retrieval.sql.targets import TITLE

if TYPE_CHECKING:
    from retrieval.sql import lexicon
    from retrieval.sql.catalogue import Column
    from retrieval.sql.reading import Reading
    from retrieval.sql.targets import Target

BAD = ("downtime", "absence", "complaint", "incident", "debt")
SINGLE = frozenset({"sale", "venda", "purchase", "compra", "order", "encomenda"})


def extreme(
    reading: Reading,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    said: list[lexicon.Token],
) -> Plan:
    """The largest or smallest: of groups ('which region sold most'), of rows ('which employee earns
    most'), or of a column ('the highest salary')."""
    superlative = reading.intent.superlative
    assert superlative is not None
    target, rank = targets.target(reading), reading.intent.rank
    if target is None and (groups and reading.intent.top):
        target, groups = groups[0], groups[1:]
    if target is None and (
        superlative.bare
        or superlative.concept
        or reading.intent.top
        or reading.intent.ranking
        or rank
    ):
        target = targets.loose_target(reading)
    target = target if isinstance(target, Group) else _qualified(reading) or target
    named = measures.by_concept(reading, superlative.concept) if superlative.concept else None
    if _dear_flow(reading, target):
        target, named = TITLE, amounts.default(reading, "money")
    if superlative.concept and named is None:
        raise Unclear("no_measure")
    limit = rank or reading.intent.top or (0 if reading.intent.ranking else 1)
    if target == TITLE or (target is None and limit != 1 and not groups):
        return replace(_extreme_row(reading, conditions, named, limit), rank=rank)
    if isinstance(target, Group) and not target.part and named and target.column == named.sql_name:
        target = None  # 'on what date was the first': the date itself
    if isinstance(target, Group):
        after = _after(reading, target)
        if after:
            conditions = tuple(c for c in conditions if c.column != target.column)
            limit = rank = 0
        aggregate, column, noun = _ranked_by(reading, target, named, said)
        made = Plan(
            reading.table.sql_name, aggregate, column.sql_name if column else "",
            conditions=conditions, groups=(target, *targets.others(reading, target)),
            order=_sign(reading, column), limit=limit, rank=rank, noun=noun, after=after,
        )  # fmt: skip
        if rates.bound_alone(made, target):
            raise Unclear("nothing_asked")
        return made
    column = named or amounts.named_measure(reading) or amounts.named_date(reading)
    if column is None:
        raise Unclear("no_measure")
    aggregate = Aggregate.MAX if superlative.sign > 0 else Aggregate.MIN
    return totals.aggregated(reading, aggregate, column, conditions, groups)


def _sign(reading: Reading, column: Column | None) -> int:
    """+1 for the most; of faults and their like the worst is the most."""
    superlative = reading.intent.superlative
    assert superlative is not None
    bad = column is not None and matching.has_concept(column, *measures.FAULTS, *BAD)
    turned = bad and reading.words[superlative.place] in rates.JUDGING
    return -superlative.sign if turned else superlative.sign


def _after(reading: Reading, target: Group) -> str:
    """The value of the target's column of which the follower is asked: 'after the Algarve'."""
    match = next((m for m in reading.values if reading.following in m.places), None)
    if match is None:
        return ""
    said = match.columns.get(target.column, ())
    if target.part or len(said) != 1 or len(reading.values_of(target.column)) > 1:
        raise Unclear("comparison")
    return said[0]


def _qualified(reading: Reading) -> Group | None:
    """'best month', 'best sales month': the noun that the superlative stands before."""
    superlative = reading.intent.superlative
    if superlative is None or superlative.bare or superlative.concept:
        return None
    for place in range(superlative.place + 1, min(superlative.place + 3, len(reading.words))):
        between = {*reading.marks[superlative.place + 1 : place]}
        if reading.marks[place] in {"part", "column"} and between <= {"title", "idle"}:
            group = targets.group_at(reading, place)
            if group is not None and (group.part or targets.is_time(reading, group)):
                return group
    return None


def _dear_flow(reading: Reading, target: Target) -> bool:
    """'The most expensive purchase', 'the biggest sale': one row of the table, by its own amount."""
    superlative = reading.intent.superlative
    if superlative is None or superlative.bare or superlative.concept not in {"", "price"}:
        return False
    behind = {*reading.words[superlative.place + 1 : superlative.place + 2]}
    one = bool(behind & SINGLE)  # 'the largest order'
    if not (amounts.flow(reading) or (one and amounts.kept_flow(reading))):
        return False
    if isinstance(target, Group) and not one:
        return False
    near = [p for p in reading.titles if _beside(reading, p, superlative.place)]
    near = [p for p in near if not reading.words[p].endswith("s") or reading.intent.top]
    measured = amounts.named_measure(reading)
    return bool(near) and (measured is None or measures.is_money(measured))


def _beside(reading: Reading, place: int, other: int) -> bool:
    low, high = min(place, other), max(place, other)
    return high - low <= 4 and {*reading.marks[low + 1 : high]} <= {"idle", "intent", ""}


def _extreme_row(
    reading: Reading, conditions: tuple[Condition, ...], named: Column | None, limit: int
) -> Plan:
    superlative = reading.intent.superlative
    assert superlative is not None
    column = (
        named
        or amounts.named_measure(reading)
        or amounts.named_date(reading)
        or amounts.measure(reading)
    )
    return Plan(
        reading.table.sql_name, Aggregate.NONE, column.sql_name,
        show=tuple(dict.fromkeys((*measures.row_names(reading.table), column.sql_name))),
        conditions=conditions, order=superlative.sign, limit=limit,
    )  # fmt: skip


def _ranked_by(
    reading: Reading, target: Group, named: Column | None, said: list[lexicon.Token]
) -> tuple[Aggregate, Column | None, str]:
    """By what groups are ranked: the named amount, the rows counted, or the table's own amount."""
    intent = reading.intent
    assert intent.superlative is not None
    if intent.by_rows:
        return Aggregate.COUNT, None, ""
    edge = Aggregate.MAX if intent.superlative.sign > 0 else Aggregate.MIN
    if named is not None:
        return edge, named, ""
    if intent.count_at is not None:
        return counting.counted(reading, said)
    column = amounts.named_measure(reading)
    if column is not None and amounts.asks_worth(reading):
        return Aggregate.SUM, amounts.valued(reading, column), ""
    if intent.avg:
        return Aggregate.AVG, column or amounts.measure(reading), ""
    if column is not None:
        pay = matching.has_concept(column, "salary") and not intent.superlative.bare
        key = reading.table.column(target.column)
        once = not target.part and key.distinct >= reading.table.rows > 0
        summed = (measures.additive(column) and not pay and not once) or intent.sum_at is not None
        return (Aggregate.SUM if summed else edge), column, ""
    dated = amounts.named_date(reading)
    if dated is not None and not intent.superlative.bare and dated.sql_name != target.column:
        return edge, dated, ""
    about = amounts.flow(reading) or (not reading.titles and amounts.kept_flow(reading))
    default = amounts.default(reading) if about else None
    if default is not None:
        return Aggregate.SUM, default, ""
    noun = next((said[p].said for p in sorted(reading.titles) if targets.titled(reading, p)), "")
    if noun:
        return Aggregate.COUNT, None, noun
    others = [
        c for m in reading.mentions for c in m.columns[:1]
        if c.kind == "text" and c.sql_name != target.column and c.sql_name not in targets.bound(reading)
    ]  # fmt: skip
    if len(others) == 1:
        return counting.count_values(reading, others[0], others[0].label)
    raise Unclear("no_measure")
