"""Which amount a question is about: the column it names, or the one its table is kept for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import filters, lexicon, matching, measures
from retrieval.sql.filters import Unclear

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column
    from retrieval.sql.reading import Mention, Reading


def named_measure(reading: Reading) -> Column | None:
    """The numeric column that the question names; for a unit, the column counted in it."""
    named = [(m, c) for m in reading.mentions if (c := measures.named(reading, m)) is not None]
    free = [(m, c) for m, c in named if not compared(reading, c)] or named
    if len({column.sql_name for _, column in free}) > 1:
        best = max(mention.likeness for mention, _ in free)
        kept = [column for mention, column in free if mention.likeness == best]
        # A weaker name gives way where it could mean the same column, or is but a unit ('pieces').
        free = [
            (m, c)
            for m, c in free
            if c in kept or not (is_unit(reading, m) or {*kept} & {*m.columns})
        ]
        if len({column.sql_name for _, column in free}) > 1:
            free = [(m, c) for m, c in free if not is_unit(reading, m)] or free
        if len({column.sql_name for _, column in free}) > 1:
            labels = ", ".join(dict.fromkeys(column.label for _, column in free))
            raise Unclear("several_columns", columns=labels)
    if free:
        if not measures.is_money(free[0][1]) and _costs(reading):
            raise Unclear("no_measure")
        return free[0][1]
    for kind in reading.units.values():
        column = measures.default_measure(reading, kind)
        if column is not None:
            return column
        if kind == "quantity":
            raise Unclear("no_measure")
    return None


def _costs(reading: Reading) -> bool:
    """Whether a cost or price is said beside the column: cubic metres of gas are not what it cost."""
    for place, word in enumerate(reading.words):
        meant = lexicon.concepts(word)
        if reading.marks[place] not in {"idle", "intent"} or place in reading.titles:
            continue
        if meant & {"cost", "price", "payment"} and not meant & {"quantity", "consumption"}:
            return True
        following = reading.words[place + 1 : place + 2]
        dated = "period" in reading.marks[place + 2 : place + 3]
        if "cost" in meant and {*following} <= {"em", "com", "on"} and following and not dated:
            return True  # money is spent on gas, gas is spent in a month
    return False


def is_unit(reading: Reading, mention: Mention) -> bool:
    """Whether the words are units such as 'pieces', which say in what an amount is counted."""
    words = (reading.words[place] for place in mention.places)
    units = lexicon.unit_words("quantity")
    return all(not lexicon.singulars(word).isdisjoint(units) for word in words)


def compared(reading: Reading, column: Column) -> bool:
    """Whether a comparison already holds rows against `column`."""
    return any(filters.compared_column(reading, c) == column for c in reading.comparisons)


def flow(reading: Reading) -> bool:
    """The table is named, and is of things that are added up (sales) rather than counted (people)."""
    meant = {c for place in reading.titles for c in lexicon.concepts(reading.words[place])}
    return bool(meant & measures.FLOWS)


def kept_flow(reading: Reading) -> bool:
    """The table, though it is not named, is kept of things that are added up."""
    return any(lexicon.concepts(word) & measures.FLOWS for word in reading.known.title)


def default(reading: Reading, kind: str = "") -> Column | None:
    """The amount the table is kept for. Raises Unclear when money is asked and it holds pieces."""
    column = measures.default_measure(reading, kind)
    if column is not None and asks_money(reading) and not measures.is_money(column):
        price = measures.price_each(reading.table)
        if price is None:
            raise Unclear("no_measure")
        reading.times = price.sql_name
    return column


def valued(reading: Reading, column: Column) -> Column:
    """The quantity whose value at `column`, a price each, is asked. Raises Unclear for prices alone."""
    said = [w for n, w in enumerate(reading.words) if reading.mention_at(n) is None]
    value = any(w in lexicon.worth() for w in said)
    quantity = measures.default_measure(reading, "quantity")
    if not value or quantity is None or measures.price_each(reading.table) != column:
        raise Unclear("not_added", column=column.label)
    reading.times = column.sql_name
    return quantity


def asks_worth(reading: Reading) -> bool:
    """'What is our stock worth at cost': a price each is named, and what it makes of the pieces asked."""
    column = named_measure(reading)
    each = column is not None and measures.price_each(reading.table) == column
    said = any(
        word in lexicon.worth() and reading.mention_at(n) is None
        for n, word in enumerate(reading.words)
    )
    meant = {c for word in reading.words for c in lexicon.concepts(word)}
    return each and said and bool(meant & {"stock"})


def measure(reading: Reading) -> Column:
    column = named_measure(reading)
    if column is None and reading.titles:
        column = default(reading)
        reading.score -= 0.5
    if column is None:
        raise Unclear("no_measure")
    return column


def adds_up(reading: Reading, column: Column) -> bool:
    """Whether a sum of `column` is meant where none is said: of amounts, but not of people's pay."""
    return measures.additive(column) and not matching.has_concept(column, "salary")


def asks_price(reading: Reading) -> bool:
    """'How much does X cost' looks a price up; it adds nothing."""
    column = named_measure(reading)
    if not reading.intent.soft_sum or column is None or adds_up(reading, column):
        return False
    named = [m for m in reading.mentions if measures.named(reading, m) == column]
    plural = any(reading.words[p].endswith("s") for m in named for p in m.places)
    return not (plural and measures.additive(column))  # 'salaries' are paid to many


def named_date(reading: Reading) -> Column | None:
    dates = [c for m in reading.mentions for c in m.columns if c.kind == "date"]
    return dates[0] if dates else None


def asks_money(reading: Reading) -> bool:
    """Whether a value or a cost is said, so that pieces would be the wrong answer."""
    for place, word in enumerate(reading.words):
        if reading.marks[place] in {"value", "intent", "comparison"} or place in reading.titles:
            continue
        meant = lexicon.concepts(word)
        if meant & {"value", "cost", "revenue", "price"} and "quantity" not in meant:
            return True
        if word in lexicon.unit_words("money"):
            return True
    return False
