"""Figures of one item over its years, and what is computed from them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from corpus.tabular.cells import marks, number, text_of
from retrieval.sql.cross.asked import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.cross.asked import Asked

NIL = frozenset({"-", "–", "—", "−", "--"})
FACTORS = {"": 1, "thousand": 10**3, "million": 10**6, "billion": 10**9}


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell: its year, as it is written, and what it is worth; None where it is no figure."""

    year: int
    written: str
    worth: Decimal | None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """`values` as they are said; `worth` is what was computed, in the scale of the table. `percent` says
    that it is one. `picked` are the years that were asked for."""

    values: tuple[str, ...]
    worth: Decimal | None = None
    percent: bool = False
    picked: tuple[int, ...] = ()


def figures(cells: Sequence[Any], years: Sequence[int]) -> tuple[Figure, ...]:
    """The cells of one row as figures. The decimal sign is the one that fits all of them."""
    texts = [text_of(cell) for cell in cells]
    found = [marks(cell) for cell in texts]
    counted = [m for m in found if m & {"point", "comma"}]
    sign = "." if all("point" in m for m in counted) else ","
    return tuple(
        Figure(year, text, _worth(text, sign), "%" in text)
        for year, text in zip(years, texts, strict=True)
    )


def _worth(text: str, sign: str) -> Decimal | None:
    if text in NIL or text.strip("$€£ ") in NIL:
        return Decimal(0)  # a dash in a statement is nothing
    name = "point" if sign == "." else "comma"
    return number(text, sign) if name in marks(text) else None


def computed(asked: Asked, held: Sequence[Figure], scale: str) -> Result | None:
    """What is asked of the figures; None where one of them is missing or nothing can be computed."""
    if asked.op is Op.VALUE:
        if any(not figure.written for figure in held):
            return None
        return Result(tuple(figure.written for figure in held), percent=held[0].percent)
    worths = [figure.worth for figure in held if figure.worth is not None]
    if len(worths) < len(held) or len(held) < 2:
        return None
    percent = any(figure.percent for figure in held)
    if asked.op in {Op.YEAR, Op.YEARS}:
        return _years(asked, held, scale)
    worth = _arithmetic(asked.op, worths)
    if worth is None:
        return None
    return Result((plain(worth),), worth, percent or asked.op is Op.PERCENT)


def _arithmetic(op: Op, worths: Sequence[Decimal]) -> Decimal | None:
    """The first is the earlier of two."""
    if op is Op.CHANGE:
        return worths[-1] - worths[0]
    if op is Op.PERCENT:
        return (worths[-1] - worths[0]) / worths[0] * 100 if worths[0] else None
    total = sum(worths, Decimal(0))
    return total / len(worths) if op is Op.AVERAGE else total


def _years(asked: Asked, held: Sequence[Figure], scale: str) -> Result | None:
    ranked = [(figure.worth, figure.year) for figure in held if figure.worth is not None]
    if asked.limit is None:
        edge = max(ranked)[0] if asked.sign > 0 else min(ranked)[0]
        picked = tuple(year for worth, year in ranked if worth == edge)
        return Result(tuple(map(str, picked)), picked=picked) if len(picked) == 1 else None
    # Where the table says no scale, the number is held against the figures as they are written.
    limit = asked.limit.figures * (asked.limit.factor if scale else 1) / FACTORS[scale]
    if scale and asked.limit.factor == 1 and limit < min(abs(worth) for worth, _ in ranked) / 100:
        limit = asked.limit.figures
    picked = tuple(year for worth, year in ranked if asked.sign * (worth - limit) > 0)
    values = (str(len(picked)),) if asked.op is Op.YEARS else tuple(map(str, picked))
    return Result(values, picked=picked) if values else None


def plain(worth: Decimal) -> str:
    """At most two decimals, without noughts at the end."""
    text = f"{round(worth, 2):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
