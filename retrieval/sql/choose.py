"""Which computation a reading asks for: the decision from intents and mentions to one plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import (
    amounts,
    counting,
    filters,
    lexicon,
    measures,
    ranks,
    rates,
    targets,
    totals,
)
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
PRONOUNS = frozenset({"nele", "nela", "neles", "nelas", "dele", "dela", "deles", "delas", "then"})


def plan(reading: Reading, said: list[lexicon.Token]) -> Plan:
    """The plan of a reading without unexplained words. Raises Unclear when it asks for nothing
    that can be computed, for something that could mean two things, or when a named column was not
    needed, since then something else was asked."""
    _listing_asked(reading)
    counted = reading.intent.count_at if reading.intent.superlative is not None else None
    if counted is not None and reading.next_content(counted) is None:
        reading.intent.count_at = None  # '… and how many were there' is the figure of the first
    made = _planned(reading, said)
    lost = _lost_pronoun(reading)
    if lost is not None:
        raise Unclear("pronoun", word=said[lost].said)
    if reading.following is not None and not made.after:
        raise Unclear("comparison")
    if _per_unit(reading) and made.aggregate is Aggregate.SUM and not made.order:
        raise Unclear("not_added", column=reading.table.column(made.column).label)
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
    return rates.lessened(totals.product(made, reading), reading)


def _lost_pronoun(reading: Reading) -> int | None:
    """The place of a pronoun such as 'in it' before which nothing is named that it could stand for."""
    for place, word in enumerate(reading.words):
        led = place and reading.words[place - 1] in {"in", "of", "for", "from", "to", "at", "with"}
        if not (word in PRONOUNS or (word in {"it", "them"} and led)):
            continue
        named = [p for m in reading.values for p in m.places]
        named += [span.first for span in reading.periods] + reading.intent.which
        superlative = reading.intent.superlative
        named += [superlative.place] if superlative is not None else []
        if not any(at < place for at in named):
            return place
    return None


def _per_unit(reading: Reading) -> bool:
    """'per tonne': a price is asked, which no sum is."""
    units = lexicon.unit_words("quantity")
    places = (place + 1 for place in reading.intent.groups if place + 1 < len(reading.words))
    return any(not lexicon.singulars(reading.words[place]).isdisjoint(units) for place in places)


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
        or _kind_of(reading, mention, made)
        or _most_of(reading, mention)
        or _amount_of(reading, mention, made)
    )


def _kind_of(reading: Reading, mention: Mention, made: Plan) -> bool:
    """'a hotel customer': the noun says what the value before it is one of."""
    first = mention.places[0]
    after = first > 0 and reading.marks[first - 1] == "value"
    single = made.aggregate in {Aggregate.SUM, Aggregate.MIN, Aggregate.MAX} and not made.groups
    return after and single and mention.columns[0].kind == "text"


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
        return ranks.extreme(reading, conditions, groups, said)
    if intent.avg:
        if not reading.pair and (made := totals.averaged(reading, groups)) is not None:
            return made
        each = counting.per_row(reading, said)
        if each is not None:
            return totals.aggregated(reading, Aggregate.AVG, each, conditions, groups)
        if intent.count_at is not None or targets.periodic(reading):
            raise Unclear("average_of_totals")
        column = amounts.measure(reading)
        if groups and any(group.part for group in groups) and measures.additive(column):
            raise Unclear("average_of_totals")
        return totals.aggregated(reading, Aggregate.AVG, column, conditions, groups)
    if intent.count_at is not None:
        return _count(reading, conditions, groups, said)
    if amounts.asks_worth(reading) and not isinstance(targets.target(reading), Group):
        return _sum(reading, conditions, groups, said)
    if intent.sum_at is not None and not amounts.asks_price(reading):
        return _sum(reading, conditions, groups, said)
    return _plain(reading, conditions, groups, said)


def _count(
    reading: Reading,
    conditions: tuple[Condition, ...],
    groups: tuple[Group, ...],
    said: list[lexicon.Token],
) -> Plan:
    aggregate, column, noun = counting.counted(reading, said)
    if aggregate is Aggregate.DISTINCT and (reading.comparisons or reading.held):
        raise Unclear("totals_per", column=column.label if column else "")
    return totals.aggregated(reading, aggregate, column, conditions, groups, noun)


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
            return totals.aggregated(
                reading, Aggregate.COUNT, None, conditions, groups, said[place].said
            )
    if column is None:
        column = amounts.measure(reading)
    if not measures.additive(column):
        column = amounts.valued(reading, column)
    return totals.aggregated(reading, Aggregate.SUM, column, conditions, groups)


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
        return totals.aggregated(reading, Aggregate.COUNT, None, conditions, groups, noun)
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
        return totals.aggregated(reading, Aggregate.SUM, column, conditions, groups)
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
