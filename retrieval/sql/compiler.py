"""From a question to one plan over one table, or a reason why not. Arithmetic and word lists only.

Each table is read on its own. A table serves when every word of the question has found its place in
it; the table that explains the words best is taken, and two that explain them equally well are said.
"""

from __future__ import annotations

import datetime as dt
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.sql import choose, intent, lexicon, matching, pairs, reading, wishes
from retrieval.sql.filters import Unclear
from retrieval.sql.plan import Abstain, Form, Plan
from retrieval.sql.wording import reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table

NEAR = 0.3
THAN = frozenset({"than", "que"})
YES_OR_NO = frozenset({"did", "is", "are", "does", "do", "was", "were", "has", "have", "sera"})
MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one table. `plan` is None when it did not serve, and `why` says it."""

    table: Table
    plan: Plan | None
    score: float
    read: reading.Reading
    unexplained: tuple[str, ...] = ()
    why: str = ""


def compile_question(
    text: str, tables: Sequence[Table], *, language: str, today: dt.date
) -> Plan | Abstain:
    """The plan that answers `text` from one of `tables`, or why there is none, said in `language`.

    The router asks first whether there is a plan, then the store for the plan itself, so that the last
    ones are kept; they are found again only for tables that are equal in all that a reader may see.
    """
    return _compiled(text, tuple(tables), language, today)


@functools.lru_cache(maxsize=64)
def _compiled(
    text: str, tables: tuple[Table, ...], language: str, today: dt.date
) -> Plan | Abstain:
    said = lexicon.plainly(lexicon.tokens(text))
    words = [token.text for token in said]
    if not tables:
        return Abstain(reason("no_tables", language))
    if not words or len(words) > MOST_WORDS:
        return Abstain(reason("length", language))
    if _asks_why(words):
        return Abstain(reason("why", language))
    for wish in wishes.wishes(words):
        attempts = [_wished(said, words, table, language, today, wish) for table in tables]
        if any(attempt.plan is not None for attempt in attempts):
            return _best(attempts, language)
    if _compares(words) or _half_compares(words) or words[0] in YES_OR_NO:
        return Abstain(reason("comparison", language))
    attempts = [_attempt(said, words, table, language, today) for table in tables]
    return _best(attempts, language)


def _best(attempts: list[Attempt], language: str) -> Plan | Abstain:
    served = sorted((a for a in attempts if a.plan is not None), key=lambda a: -a.score)
    if not served:
        return _least_bad(attempts, language)
    best = served[0]
    rivals = [a for a in served if best.score - a.score < NEAR]
    if len(rivals) > 1:
        titles = ", ".join(attempt.table.title for attempt in rivals)
        return Abstain(reason("several_tables", language, tables=titles), several=True)
    assert best.plan is not None
    return best.plan


def _asks_why(words: list[str]) -> bool:
    return any(tuple(words[: len(phrase)]) == phrase for phrase in lexicon.phrases("why"))


def _compares(words: list[str]) -> bool:
    """Whether two things are compared: 'more than' without a number after it."""
    for place in range(len(words)):
        length = max(intent.at(words, place, "more"), intent.at(words, place, "less"))
        if not length or words[place + length - 1] not in THAN:
            continue
        rest = [
            word for word in words[place + length :] if word not in {"o", "a", "os", "as", "the"}
        ]
        if not (rest and (rest[0][0].isdigit() or lexicon.number(rest[0]) or rest[0] in "€$")):
            return True
    return False


def _half_compares(words: list[str]) -> bool:
    """'How much more …' of one thing alone: what it is held against is not said."""
    places = range(len(words))
    lone = (place + length for place in places if (length := intent.at(words, place, "lone")))
    return any(words[after : after + 1] not in (["de"], ["than"], ["do"]) for after in lone)


def _attempt(
    said: list[lexicon.Token], words: list[str], table: Table, language: str, today: dt.date
) -> Attempt:
    return _tried(said, reading.read(words, table, today), language)


def _wished(
    said: list[lexicon.Token],
    words: list[str],
    table: Table,
    language: str,
    today: dt.date,
    wish: wishes.Wish,
) -> Attempt:
    """The question as a comparison or a share; two periods are first taken together, then apart."""
    joined = reading.read(words, table, today, wish.places)
    attempt = _tried(said, joined, language, wish)
    if attempt.plan is None and not attempt.unexplained and wish.form is Form.DIFFERENCE:
        apart = reading.read(words, table, today, wish.places, apart=True)
        attempt = _tried(said, apart, language, wish)
    return attempt


def _tried(
    said: list[lexicon.Token],
    read: reading.Reading,
    language: str,
    wish: wishes.Wish | None = None,
) -> Attempt:
    table = read.table
    unexplained = tuple(said[place].said for place in read.unexplained)
    if unexplained:
        return Attempt(table, None, read.score, read, unexplained)
    years = {year for span in read.periods if (year := _year(span))}
    try:
        plan = pairs.plan(read, said, wish) if wish else choose.plan(read, said)
    except Unclear as unclear:
        why = reason(unclear.reason, language, table=table.title, **unclear.said)
        return Attempt(table, None, read.score, read, why=why)
    score = read.score
    if read.known.years and years:
        score += 1.0 if years <= read.known.years else -3.0
    return Attempt(table, plan, score, read)


def _year(span: object) -> int | None:
    start = getattr(getattr(span, "period", None), "start", None)
    return start.year if isinstance(start, dt.date) else None


def _unknown(read: reading.Reading, unexplained: tuple[str, ...], language: str) -> str:
    """Which words have no place in the table, with the nearest stored values."""
    near = [
        value
        for place in read.unexplained
        for value in nearest_values(read.words[place], read.known)
    ]
    said = ", ".join(f"«{word}»" for word in unexplained)
    name = "unknown_near" if near else "unknown"
    listed = ", ".join(dict.fromkeys(near[:3]))
    return reason(name, language, words=said, table=read.table.title, near=listed)


def nearest_values(word: str, known: matching.TableIndex) -> list[str]:
    meant = matching.nearest(word, known.vocabulary, loose=True)
    return [entry.value for entry in known.entries if meant and meant in entry.words][:3]


def _least_bad(attempts: list[Attempt], language: str) -> Abstain:
    """The reason of the table that came nearest: fewest words unexplained, then the best score."""
    best = min(attempts, key=lambda a: (len(a.unexplained), -a.score))
    why = best.why or _unknown(best.read, best.unexplained, language)
    return Abstain(why, best.unexplained)
