"""How two amounts stand to each other, in one sentence: the difference, the share, the spread."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from retrieval.sql import phrase
from retrieval.sql.plan import Aggregate, Form, Op

if TYPE_CHECKING:
    from retrieval.sql.catalogue import Column, Table
    from retrieval.sql.plan import Condition, Plan

WORDS: dict[str, tuple[str, str]] = {
    "both": ("{what}{where}: {a} — {x}; {b} — {y}. ", "{what}{where}: {a} — {x}; {b} — {y}. "),
    "equal": ("São iguais.", "They are equal."),
    "more": ("{who}: {n} a mais{percent}.", "{who}: {n} more{percent}."),
    "less": ("{who}: {n} a menos{percent}.", "{who}: {n} less{percent}."),
    "share": (
        "{what}{where}: {part} — {x} de {y}, ou seja {percent}.",
        "{what}{where}: {part} — {x} of {y}, that is {percent}.",
    ),
    "spread": (
        "{what}{where}: o maior valor é {x} e o menor {y}; a diferença é {n}.",
        "{what}{where}: the highest is {x} and the lowest {y}; the difference is {n}.",
    ),
}


def _said(name: str, language: str, **parts: str) -> str:
    return WORDS[name][0 if language == "pt" else 1].format(**parts)


def sentence(plan: Plan, table: Table, row: tuple[Any, ...], language: str) -> str:
    """The answer in one sentence from the two amounts of `row`, neither of them None."""
    column = None
    if plan.aggregate not in {Aggregate.COUNT, Aggregate.DISTINCT}:
        column = table.column(plan.column)
    what = phrase.amount(plan, table, language)
    what = what[0].upper() + what[1:]
    place = phrase.where(plan, table, language)
    x, y = (Decimal(str(value)) for value in row[:2])
    shown = [_number(value, language, column) for value in (x, y)]
    if plan.form is Form.SPREAD:
        assert column is not None
        gap = _number(x - y, language, column)
        name = phrase.label(column)
        return _said("spread", language, what=name, where=place, x=shown[0], y=shown[1], n=gap)
    if plan.form is Form.SHARE:
        part = "; ".join(phrase.condition(c, table, language) for side in plan.sides for c in side)
        if plan.whole:
            part = phrase.label(table.column(plan.column))
            what = f"{part} / {phrase.label(table.column(plan.whole))}"
        return _said(
            "share", language, what=what, where=place, part=part, x=shown[0], y=shown[1],
            percent=_percent(100 * x / y, language),
        )  # fmt: skip
    names = [side_name(side, table, language) for side in plan.sides]
    both = _said(
        "both", language, what=what, where=place, a=names[0], b=names[1], x=shown[0], y=shown[1]
    )
    return both + _difference(x, y, names, plan, column, language)


def _difference(
    x: Decimal, y: Decimal, names: list[str], plan: Plan, column: Column | None, language: str
) -> str:
    """Over time the later is held against the earlier; of two things the first against the second."""
    if x == y:
        return _said("equal", language)
    timed = in_time(plan)
    who, gap, base = (names[1], y - x, x) if timed else (names[0], x - y, y)
    percent = f" ({_percent(abs(100 * gap / base), language)})" if base > 0 else ""
    name = "more" if gap > 0 else "less"
    return _said(name, language, who=who, n=_number(abs(gap), language, column), percent=percent)


def in_time(plan: Plan) -> bool:
    return any(c.op in {Op.RANGE, Op.MONTH} for c in plan.sides[0]) or any(
        isinstance(value, int) for c in plan.sides[0] for value in c.values
    )


def _number(value: Decimal, language: str, column: Column | None) -> str:
    return phrase.shown(value, language, column)


def _percent(value: Decimal, language: str) -> str:
    text = phrase.number(value, language, decimals=1)
    return f"{text} %" if language == "pt" else f"{text}%"


def side_name(side: tuple[Condition, ...], table: Table, language: str) -> str:
    """'Norte', '2024', 'março de 2025': a side by its value alone."""
    said = [phrase.condition(condition, table, language) for condition in side]
    return " ".join(text.partition(": ")[2] or text for text in reversed(said))
