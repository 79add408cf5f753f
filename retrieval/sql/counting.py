"""What 'how many' counts: rows, different values, or units to add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql import amounts, filters, lexicon, matching, measures, targets
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Aggregate
from retrieval.sql.reading import MEANT, Reading, part_of

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column
    from retrieval.sql.reading import Mention

# Columns whose values are names of what a row is: an oleiro is counted, a department is not.
KINDS = ("job", "type", "gender", "category", "product", "status", "state", "class")


def counted(reading: Reading, said: list[lexicon.Token]) -> tuple[Aggregate, Column | None, str]:
    """What follows 'how many': units to add up, values to tell apart, or rows to count."""
    count_at = reading.intent.count_at
    at = reading.next_content(count_at if count_at is not None else -1)
    if at is None:
        raise Unclear("nothing_to_count")
    at = behind_value(reading, at)
    noun = said[at].said
    if reading.marks[at] == "unit":
        return Aggregate.SUM, amounts.measure(reading), noun
    mention = reading.mention_at(at)
    title = reading.titles.get(at, 0.0)
    named_text = mention is not None and any(c.kind == "text" for c in mention.columns)
    if mention is not None and (
        mention.likeness > title or (named_text and mention.likeness >= title)
    ):
        measured = measures.named(reading, mention)
        texts = [c for c in mention.columns if c.kind == "text"]
        countable = measured is not None and (
            matching.has_concept(measured, "hour", "duration") <= _says_time(reading, mention)
        )
        if measured is not None and countable and not texts and measures.additive(measured):
            return Aggregate.SUM, measured, noun
        if texts:
            return count_values(reading, texts[0], noun)
    if title >= MEANT:
        texts = [c for c in mention.columns if c.kind == "text"] if mention else []
        if reading.intent.distinct and texts:
            return count_values(reading, texts[0], noun)
        return Aggregate.COUNT, None, noun
    if part := part_of(reading.words[at]):
        raise Unclear("count_of_time", part=part)
    if reading.marks[at] == "value":
        quantity = measures.default_measure(reading, "quantity")
        if quantity is not None and (reading.titles or reading.mentions):
            return Aggregate.SUM, quantity, noun
        match = next(match for match in reading.values if at in match.places)
        if any(matching.has_concept(reading.table.column(name), *KINDS) for name in match.columns):
            return Aggregate.COUNT, None, noun
    raise Unclear("nothing_to_count")


def per_row(reading: Reading, said: list[lexicon.Token]) -> Column | None:
    """'How many pieces does an order hold on average': the amount of one row, and its mean."""
    rows = [
        place
        for place in reading.titles
        if _led_by_one(reading, place)
        and lexicon.concepts(reading.words[place]) & filters.EVENTS
        and not reading.words[place].endswith("s")
    ]
    if reading.intent.count_at is None or not rows or targets.periodic(reading):
        return None
    aggregate, column, _ = counted(reading, said)
    return column if aggregate is Aggregate.SUM else None


def _led_by_one(reading: Reading, place: int) -> bool:
    """'a sale', and over a value that stands between, 'a hotel sale'."""
    before = place - 1
    while before > 0 and reading.marks[before] == "value":
        before -= 1
    return before >= 0 and (reading.words[before],) in lexicon.phrases("one")


def behind_value(reading: Reading, at: int) -> int:
    """'How many Oak references': the noun right behind a value is what is counted, not the value."""
    match = next((match for match in reading.values if at in match.places), None)
    if match is None:
        return at
    behind = match.places[-1] + 1
    if behind >= len(reading.words) or reading.marks[behind] not in {"column", "unit", "title"}:
        return at
    return at if reading.marks[behind] == "title" and amounts.flow(reading) else behind


def _says_time(reading: Reading, mention: Mention) -> bool:
    """Whether hours are asked: 'how many stoppages' is not answered by how long they took."""
    words = [reading.words[place] for place in mention.places]
    return any(lexicon.concepts(word) & {"hour", "duration"} for word in words)


def count_values(
    reading: Reading, column: Column, noun: str
) -> tuple[Aggregate, Column | None, str]:
    if column.distinct >= reading.table.rows > 0:
        return Aggregate.COUNT, None, noun
    if column.sql_name in targets.bound(reading):
        # 'How many permanent contracts': of one kind only its rows can be counted, if a row is a thing.
        key = measures.key_column(reading.table)
        if key is None or key.distinct < reading.table.rows:
            raise Unclear("nothing_to_count")
        return Aggregate.COUNT, None, noun
    return Aggregate.DISTINCT, column, noun
