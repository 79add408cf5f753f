"""The share of faulty pieces among those made, of all rows or per group; and the pieces without fault."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.sql import filters, matching, measures, targets, totals
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Aggregate, Condition, Form, Group, Plan

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column
    from retrieval.sql.reading import Mention, Reading
    from retrieval.sql.targets import Target

# Of faults the worst is the most.
JUDGING = frozenset({"best", "worst", "melhor", "melhores", "pior", "piores"})


def faults(reading: Reading) -> tuple[Column, Column] | None:
    """(faulty, all) where the share of faulty pieces among those made is asked."""

    def summed(mention: Mention) -> list[Column]:
        return [c for c in mention.columns if c.numeric and measures.additive(c)]

    named = [c for m in reading.mentions for c in summed(m)]
    faulty = next((c for c in named if matching.has_concept(c, *measures.FAULTS)), None)
    if faulty is None:
        return None
    others = [c for c in named if c != faulty and not matching.has_concept(c, *measures.FAULTS)]
    related = measures.made_with(reading.table, faulty)
    whole = [c for c in others if c in related] or related
    return (faulty, whole[0]) if len({c.sql_name for c in whole}) == 1 else None


def ratio(reading: Reading, faulty: Column, whole: Column, asked: Target) -> Plan:
    """One share over all rows, or one for each group: ranked, held against a number, or listed."""
    intent, superlative = reading.intent, reading.intent.superlative
    groups = targets.groups(reading)
    if superlative is not None and not groups:
        asked = asked or targets.loose_target(reading)
    if intent.count_at is not None:
        asked = totals.counted_group(reading)
    if not groups and isinstance(asked, Group):
        groups = (asked,)
    comparisons, reading.comparisons = reading.comparisons, []
    made = Plan(
        reading.table.sql_name, Aggregate.SUM, faulty.sql_name,
        conditions=filters.conditions(reading), form=Form.SHARE, whole=whole.sql_name,
    )  # fmt: skip
    if not groups:
        if superlative is not None or comparisons or intent.groups or intent.count_at is not None:
            raise Unclear("comparison")
        return made
    if len(groups) > 1 or len(comparisons) > 1 or bound_alone(made, groups[0]):
        raise Unclear("comparison")
    timed = bool(groups[0].part) or targets.is_time(reading, groups[0])
    sign = 0 if timed else 1
    limit = 0
    if superlative is not None:
        sign = superlative.sign
        sign = -sign if reading.words[superlative.place] in JUDGING else sign
        limit = intent.rank or intent.top or 1
    held: tuple[Condition, ...] = ()
    if comparisons:
        held = (Condition("", comparisons[0].op, comparisons[0].values),)
    return replace(
        made, groups=groups, order=sign, limit=limit, rank=intent.rank, having=held,
        counts_groups=intent.count_at is not None and bool(held),
    )  # fmt: skip


def bound_alone(plan: Plan, group: Group) -> bool:
    """Whether the rows are of one value of the column they are grouped by: there is nothing to rank."""
    return not group.part and any(
        c.column == group.column and str(c.op) == "=" and len(c.values) == 1
        for c in plan.conditions
    )


def lessened(plan: Plan, reading: Reading) -> Plan:
    """The plan with the faulty pieces taken away. Raises Unclear where no pieces are added up."""
    if not reading.minus:
        return plan
    if plan.aggregate is not Aggregate.SUM or plan.column != reading.whole or plan.form:
        raise Unclear("negation")
    return replace(plan, minus=reading.minus)
