"""Which computation a reading asks for: the decision from intents and mentions to one plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.sql import amounts, counting, filters, lexicon, matching, measures, targets, totals
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Aggregate, Condition, Group, Op, Plan
from retrieval.sql.targets import TITLE

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column
    from retrieval.sql.reading import Mention, Reading
    from retrieval.sql.targets import Target

PLURAL_ARTICLES = frozenset(
    ["os", "as", "the", "dos", "das", "pelos", "pelas", "nos", "nas", "aos"]
)


def plan(reading: Reading, said: list[lexicon.Token]) -> Plan:
    """The plan of a reading without unexplained words. Raises Unclear when it asks for nothing
    that can be computed, for something that could mean two things, or when a named column was not
    needed, since then something else was asked."""
    _listing_asked(reading)
    made = _planned(reading, said)
    used = {made.column, *made.show}
    used |= {condition.column for condition in made.conditions}
    used |= (
        {group.column for group in made.groups}
        | {made.whole, reading.times}
        | {c.other for c in made.conditions}
    )
    counted = reading.intent.count_at
    noun = reading.next_content(counted) if counted is not None else None
    noun = counting.behind_value(reading, noun) if noun is not None else None
    for mention in reading.mentions:
        unit = amounts.is_unit(reading, mention)
        spoken_for = (
            unit or not reading.titles.keys().isdisjoint(mention.places) or noun in mention.places
        )
        spoken_for = spoken_for or _aside(reading, mention, made)
        if not spoken_for and used.isdisjoint(column.sql_name for column in mention.columns):
            raise Unclear("unused", word=said[mention.places[0]].said)
    _listing_sound(reading, made)
    return totals.product(made, reading)


def _listing_asked(reading: Reading) -> None:
    """'Articles with fewer than 30 pieces': a question that begins with a column asks which."""
    intent = reading.intent
    asked = intent.which or intent.count_at is not None or intent.sum_at is not None or intent.avg
    first = reading.mention_at(0)
    if asked or first is None or not (reading.comparisons or reading.held):
        return
    if first.columns[0].kind == "text" and reading.words[0].endswith("s"):
        intent.which.append(-1)


def _aside(reading: Reading, mention: Mention, made: Plan) -> bool:
    """Whether a column is named without a filter or a group being meant by it."""
    return (
        _everything(reading, mention, made)
        or _most_of(reading, mention)
        or _amount_of(reading, mention, made)
    )


def _amount_of(reading: Reading, mention: Mention, made: Plan) -> bool:
    """'tonnes of material': what the units are of."""
    first = mention.places[0]
    measured = {*reading.units} | {
        p for m in reading.mentions if amounts.is_unit(reading, m) for p in m.places
    }
    linked = first >= 2 and reading.words[first - 1] in {"of", "de"} and first - 2 in measured
    return linked and made.aggregate is Aggregate.SUM and mention.columns[0].kind == "text"


def _most_of(reading: Reading, mention: Mention) -> bool:
    """'the most materials by value': what there is most of, beside what it is measured by."""
    superlative = reading.intent.superlative
    if superlative is None or not superlative.bare or mention.columns[0].kind != "text":
        return False
    after = 0 < mention.places[0] - superlative.place <= 2
    return after and amounts.named_measure(reading) is not None


def _everything(reading: Reading, mention: Mention, made: Plan) -> bool:
    """'all kilns', 'the kilns': a total over all of them needs no filter."""
    if made.aggregate not in {Aggregate.SUM, Aggregate.AVG} or reading.intent.distinct:
        return False
    first = mention.places[0]
    before = reading.words[max(0, first - 2) : first]
    said = {*before} & {"all", "todos", "todas", "every", "cada", "conjunto"}
    named = first > 0 and reading.marks[first - 1] == "value"  # 'the Tomar kilns'
    article = named or {*before[-1:]} & PLURAL_ARTICLES
    plural = article and reading.words[first].endswith("s")
    return bool(said or plural) and mention.columns[0].kind == "text"


def _listing_sound(reading: Reading, made: Plan) -> None:
    """Of things that have many rows each, such as customers among sales, rows do not say who never
    bought a product or who bought two. Nor is what is asked for the thing that was said."""
    if made.aggregate not in {Aggregate.NONE, Aggregate.DISTINCT}:
        return
    shown = {*made.show, made.column} - {""}
    equal = [c.column for c in made.conditions if c.op is Op.EQ and len(c.values) == 1]
    if made.aggregate is Aggregate.NONE and shown <= {*equal}:
        raise Unclear("nothing_asked")
    key = measures.key_column(reading.table)
    if key is not None and key.distinct >= reading.table.rows:
        return
    for condition in made.conditions:
        if condition.op is Op.NE and condition.column not in shown:
            raise Unclear("negation")
        said = [match for match in reading.values if condition.column in match.columns]
        if condition.op is Op.EQ and len(said) > 1 and {"e", "and"} & {*reading.words}:
            raise Unclear("several_of_one")


def _planned(reading: Reading, said: list[lexicon.Token]) -> Plan:
    held = totals.filtered(reading, said)
    if held is not None:
        return held
    conditions = filters.conditions(reading)
    groups = targets.groups(reading)
    intent = reading.intent
    if intent.superlative is not None:
        return _extreme(reading, conditions, groups, said)
    if intent.avg:
        if not reading.pair and (made := totals.averaged(reading, groups)) is not None:
            return made
        if intent.count_at is not None or targets.periodic(reading):
            raise Unclear("average_of_totals")
        column = amounts.measure(reading)
        if groups and any(group.part for group in groups) and measures.additive(column):
            raise Unclear("average_of_totals")
        return _aggregate(reading, Aggregate.AVG, column, conditions, groups)
    if intent.count_at is not None:
        return _count(reading, conditions, groups, said)
    if intent.sum_at is not None and not amounts.asks_price(reading):
        return _sum(reading, conditions, groups, said)
    return _plain(reading, conditions, groups, said)


def _aggregate(
    reading: Reading,
    aggregate: Aggregate,
    column: Column | None,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    noun: str = "",
    order: int = 1,
) -> Plan:
    """An aggregate; per group the largest first, but time in its own order."""
    timed = any(group.part or targets.is_time(reading, group) for group in groups)
    return Plan(
        reading.table.sql_name,
        aggregate,
        column=column.sql_name if column else "",
        conditions=conditions,
        groups=groups,
        order=0 if timed or not groups else order,
        noun=noun,
    )


def _count(
    reading: Reading,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    said: list[lexicon.Token],
) -> Plan:
    aggregate, column, noun = counting.counted(reading, said)
    if aggregate is Aggregate.DISTINCT and (reading.comparisons or reading.held):
        raise Unclear("totals_per", column=column.label if column else "")
    return _aggregate(reading, aggregate, column, conditions, groups, noun)


def _sum(
    reading: Reading,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    said: list[lexicon.Token],
) -> Plan:
    column = amounts.named_measure(reading)
    if column is None and reading.titles and not amounts.flow(reading):
        place = min(reading.titles)
        if not reading.intent.soft_sum:
            return _aggregate(reading, Aggregate.COUNT, None, conditions, groups, said[place].said)
    if column is None:
        column = amounts.measure(reading)
    if not measures.additive(column):
        column = amounts.valued(reading, column)
    return _aggregate(reading, Aggregate.SUM, column, conditions, groups)


def _extreme(
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
    if target is None and (superlative.bare or superlative.concept or reading.intent.top or rank):
        target = targets.loose_target(reading)
    named = measures.by_concept(reading, superlative.concept) if superlative.concept else None
    if _dear_flow(reading, target):
        target, named = TITLE, amounts.default(reading, "money")
    if superlative.concept and named is None:
        raise Unclear("no_measure")
    limit = rank or reading.intent.top or 1
    if target == TITLE or (target is None and limit > 1 and not groups):
        return replace(_extreme_row(reading, conditions, named, limit), rank=rank)
    if isinstance(target, Group):
        aggregate, column, noun = _ranked_by(reading, target, named, said)
        return Plan(
            reading.table.sql_name, aggregate, column.sql_name if column else "",
            conditions=conditions, groups=(target, *targets.others(reading, target)),
            order=superlative.sign, limit=limit, rank=rank, noun=noun,
        )  # fmt: skip
    column = named or amounts.named_measure(reading) or amounts.named_date(reading)
    if column is None:
        raise Unclear("no_measure")
    aggregate = Aggregate.MAX if superlative.sign > 0 else Aggregate.MIN
    return _aggregate(reading, aggregate, column, conditions, groups)


def _dear_flow(reading: Reading, target: Target) -> bool:
    """'The most expensive purchase', 'the biggest sale': one row of the table, by its own amount."""
    superlative = reading.intent.superlative
    if superlative is None or superlative.bare or not amounts.flow(reading):
        return False
    if superlative.concept not in {"", "price"} or isinstance(target, Group):
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


def _plain(
    reading: Reading,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    said: list[lexicon.Token],
) -> Plan:
    """No aggregate is said: an amount that adds up is added up, anything else is looked up."""
    target = targets.target(reading)
    column = amounts.named_measure(reading)
    if column is not None and amounts.compared(reading, column):
        column = None
    listed = isinstance(target, Group) and (column is None or target.column != column.sql_name)
    if (
        column is None
        and not listed
        and target != TITLE
        and amounts.flow(reading)
        and (conditions or groups or reading.pair)
    ):
        column = amounts.default(reading)
    if (
        column is None
        and target == TITLE
        and amounts.flow(reading)
        and reading.values + reading.periods
    ):
        column = amounts.default(reading)
    if column is not None and not listed:
        return _amount(reading, column, conditions, groups)
    wanted = groups or reading.pair
    if column is None and wanted and reading.titles and not listed and not amounts.flow(reading):
        noun = said[min(reading.titles)].said
        return _aggregate(reading, Aggregate.COUNT, None, conditions, groups, noun)
    show = _shown(reading, target)
    if not show or (target == TITLE and not conditions):
        raise Unclear("nothing_asked")
    if reading.held:
        show = tuple(
            dict.fromkeys((*show, *(n for one, _, two in reading.held for n in (one, two))))
        )
    elif column is not None:
        show = tuple(dict.fromkeys((*show, column.sql_name)))
    return Plan(reading.table.sql_name, Aggregate.NONE, show=show, conditions=conditions)


def _amount(
    reading: Reading, column: Column, conditions: tuple[Condition, ...], groups: tuple[Group, ...]
) -> Plan:
    if amounts.adds_up(reading, column):
        return _aggregate(reading, Aggregate.SUM, column, conditions, groups)
    key = measures.key_column(reading.table)
    wanted = tuple(group.column for group in groups if not group.part)
    if not conditions and not wanted:
        raise Unclear("which_rows", column=column.label)
    unique = key is not None and key.distinct >= reading.table.rows
    first = wanted or ((key.sql_name,) if key and unique else ())
    return Plan(
        reading.table.sql_name,
        Aggregate.NONE,
        show=(*first, column.sql_name),
        conditions=conditions,
    )


def _shown(reading: Reading, target: Target) -> tuple[str, ...]:
    if isinstance(target, Group):
        return (target.column,)
    if target == TITLE:
        key = measures.key_column(reading.table)
        return (key.sql_name,) if key else ()
    if reading.intent.when:
        column = filters.date_column(reading)
        key = measures.key_column(reading.table)
        if column is not None and key is not None:
            return (key.sql_name, column.sql_name)
    named = [
        c.sql_name for m in reading.mentions for c in m.columns[:1]
        if c.sql_name not in targets.bound(reading) and not c.numeric and c.kind != "boolean"
    ]  # fmt: skip
    return tuple(dict.fromkeys(named)) if reading.values else ()
