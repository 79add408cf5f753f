"""What a question asks for or groups by: a column, a part of a date, or the table's own rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import amounts, filters, matching, measures, periods, roles
from retrieval.sql import intent as intents
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Group, Part
from retrieval.sql.reading import Reading, part_of

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column

TITLE = "title"
ONE = frozenset({"um", "uma", "one", "deles", "delas"})  # 'em cada um' of those asked for
STRETCHES = {
    "mensal": Part.MONTH, "mensais": Part.MONTH, "mensalmente": Part.MONTH, "monthly": Part.MONTH,
    "trimestral": Part.QUARTER, "trimestrais": Part.QUARTER, "quarterly": Part.QUARTER,
    "anual": Part.YEAR, "anuais": Part.YEAR, "anualmente": Part.YEAR, "yearly": Part.YEAR,
    "annual": Part.YEAR, "annually": Part.YEAR,
}  # fmt: skip
Target = Group | str | None


def group_at(reading: Reading, place: int) -> Group | None:
    """The text column or part of a date that the word at `place` names."""
    mention = reading.mention_at(place)
    part = part_of(reading.words[place])
    columns = mention.columns if mention else ()
    labelled = [c for c in columns if c.kind in {"text", "boolean"}]
    if labelled:
        return Group(labelled[0].sql_name)
    coded = [
        c for c in columns if c.kind == "integer" and c not in measures.measures(reading.table)
    ]
    if coded:
        return Group(coded[0].sql_name)
    if part:
        column = filters.date_column(reading)
        if column is not None:
            return Group(column.sql_name, Part(part))
        named = filters.part_column(reading, part)
        return Group(named.sql_name) if named else _quarters(reading, part)
    dates = [c for c in columns if c.kind == "date"]
    if dates:
        return Group(dates[0].sql_name)
    small = [c for c in columns if c.kind == "integer" and 0 < c.distinct <= 30]
    return Group(small[0].sql_name) if small and not measures.additive(small[0]) else None


def _quarters(reading: Reading, part: str) -> Group | None:
    """Quarters of one year in a table that keeps the names of months."""
    months = filters.part_column(reading, "month")
    if part != "quarter" or months is None or not matching.is_period(months):
        return None
    if any((periods.period_of_value(value) or (1, 1))[0] for value in months.values):
        return None
    said = [span.period for span in reading.periods if span.period != periods.Period()]
    one_year = len(said) == 1 and periods.whole_year(said[0])
    return Group(months.sql_name, Part.QUARTER) if one_year else None


def groups(reading: Reading) -> tuple[Group, ...]:
    found: list[Group] = []
    for place in reading.intent.groups:
        at = reading.next_content(place)
        if {*reading.words[place + 1 : place + 2]} & ONE:
            asked = target(reading)
            if not isinstance(asked, Group):
                raise Unclear("pronoun", word=reading.words[place])
            found.append(asked)
            continue
        if at is None or at - place > 4 or _agents(reading, place, at):
            continue
        group = group_at(reading, at)
        if group is None and reading.intent.superlative and _measure_at(reading, at):
            continue  # 'top 3 lines by revenue': what they are ranked by
        if group is None:
            if part_of(reading.words[at]) or reading.marks[at] == "column":
                raise Unclear("unused", word=reading.words[at])
            continue
        found.append(group)
        mention = reading.mention_at(at)
        last = mention.places[-1] if mention else at
        if last + 2 < len(reading.words) and reading.words[last + 1] in {"e", "and"}:
            second = reading.next_content(last + 1)
            other = group_at(reading, second) if second is not None and second - last <= 4 else None
            found += [other] if other else []
    return tuple(dict.fromkeys(found)) or _periodic_group(reading)


def _agents(reading: Reading, place: int, at: int) -> bool:
    """'burned by all the kilns', 'used by the kilns': by whom, all together, and not per which."""
    between = {*reading.words[place + 1 : at]}
    plural = "the" in between and reading.words[at].endswith("s")
    said = reading.words[place] in {"by", "por"}
    return said and bool(between & {"all", "todos", "todas"} or plural)


def _periodic_group(reading: Reading) -> tuple[Group, ...]:
    """'monthly sales': per month, unless a mean of months or the best of them is asked."""
    intent = reading.intent
    if intent.avg or intent.superlative is not None or intent.count_at is not None or reading.pair:
        return ()
    part = next((STRETCHES[word] for word in reading.words if word in STRETCHES), None)
    if part in {None, Part.YEAR}:  # 'annual sales' are those of the year that is said
        return ()
    column = filters.date_column(reading)
    if column is not None:
        return (Group(column.sql_name, part),)
    named = filters.part_column(reading, str(part))
    return (Group(named.sql_name),) if named else ()


def _measure_at(reading: Reading, place: int) -> bool:
    mention = reading.mention_at(place)
    return mention is not None and measures.named(reading, mention) is not None


def bound(reading: Reading) -> set[str]:
    """Columns that already serve as a filter's column."""
    return {name for match in reading.values if len(match.columns) == 1 for name in match.columns}


def target(reading: Reading) -> Target:
    """What 'which …' asks for: a column or part of a date to group by, or TITLE for the rows."""
    for place in reading.intent.which:
        at = reading.next_content(place)
        if at is None or at - place > 6:
            continue
        group = group_at(reading, at)
        who = reading.words[place] in {"quem", "who"}
        if at in reading.titles and titled(reading, at) and not (who and amounts.flow(reading)):
            return TITLE
        if group is not None and not (who and not _person(reading.table.column(group.column))):
            return group
    if reading.intent.who:
        people = [c for c in reading.table.columns if c.kind == "text" and _person(c)]
        if people and _wrong_side(reading, people[0]):
            raise Unclear("nothing_asked")
        if people:
            return Group(people[0].sql_name)
    return None


def _wrong_side(reading: Reading, person: Column) -> bool:
    """'Who bought the most' is not asked of our suppliers, nor 'who sold us the most' of customers."""
    said = {*reading.words}
    if "we" in said:
        return False
    sold, to_us = bool(said & roles.SOLD), bool(said & {"us", "nos"})
    if matching.has_concept(person, "supplier"):
        return bool(said & roles.BOUGHT)
    return sold and (matching.has_concept(person, "customer") or to_us)


def others(reading: Reading, first: Target) -> tuple[Group, ...]:
    """Further columns asked for with the first, as in 'and in which colour'."""
    found = []
    for place in reading.intent.which[1:]:
        at = reading.next_content(place)
        group = group_at(reading, at) if at is not None and at - place <= 3 else None
        if group is not None and group != first and group.column not in bound(reading):
            found.append(group)
    return tuple(dict.fromkeys(found))


def titled(reading: Reading, place: int) -> bool:
    """Whether the word is the table's own noun rather than the name of one of its text columns."""
    mention = reading.mention_at(place)
    if mention is None or not any(c.kind == "text" for c in mention.columns):
        return True
    unique = any(c.distinct >= reading.table.rows > 0 for c in mention.columns)
    return reading.titles[place] > mention.likeness or unique


def _person(column: Column) -> bool:
    return matching.has_concept(
        column, "person", "employee", "name", "customer", "supplier", "seller", "manager", "student"
    )


def loose_target(reading: Reading) -> Target:
    """Without 'which': the first text column that is named and filters nothing."""
    for mention in reading.mentions:
        group = group_at(reading, mention.places[0])
        if group is not None and group.column not in bound(reading):
            return group
    for place, _ in sorted(reading.titles.items()):
        if titled(reading, place) and not amounts.flow(reading):
            return TITLE
    return None


def periodic(reading: Reading) -> bool:
    """Whether 'monthly' or its like asks for totals of stretches of time, which rows need not be."""
    return any(intents.at(reading.words, place, "periodic") for place in range(len(reading.words)))


def is_time(reading: Reading, group: Group) -> bool:
    column = reading.table.column(group.column)
    return column.kind == "date" or matching.has_concept(column, "month", "year", "quarter")
