"""The answer from a table of items by years in one sentence, with the figures that it was computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.cross.asked import Op
from retrieval.sql.phrase import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.cross.asked import Asked
    from retrieval.sql.cross.compute import Figure, Result

WORDS: dict[str, tuple[str, str]] = {
    "value": ("{item}: {held}.", "{item}: {held}."),
    "change": ("A variação de {item} de {a} para {b} é {value} ({held}).",
               "The change in {item} from {a} to {b} is {value} ({held})."),
    "percent": ("A variação percentual de {item} de {a} para {b} é {value} ({held}).",
                "The percentage change in {item} from {a} to {b} is {value} ({held})."),
    "average": ("A média de {item} é {value} ({held}).", "The average of {item} is {value} ({held})."),
    "sum": ("A soma de {item} é {value} ({held}).", "The sum of {item} is {value} ({held})."),
    "most": ("{item} é maior em {years} ({held}).", "{item} is highest in {years} ({held})."),
    "least": ("{item} é menor em {years} ({held}).", "{item} is lowest in {years} ({held})."),
    "passed": ("{item}: {n} anos cumprem a condição: {years} ({held}).",
               "{item}: years that meet the condition: {n} — {years} ({held})."),
    "none": ("nenhum", "none"),
    "and": (" e ", " and "),
    "thousand": ("milhares", "thousand"),
    "million": ("milhões", "million"),
    "billion": ("mil milhões", "billion"),
    "plan": ("{title}: {item} por ano ({years}), {op}", "{title}: {item} by year ({years}), {op}"),
}  # fmt: skip


def word(name: str, language: str, **said: object) -> str:
    return WORDS[name][0 if language == "pt" else 1].format(**said)


def sentence(
    asked: Asked, item: str, held: Sequence[Figure], result: Result, scale: str, language: str
) -> str:
    """In Portuguese or English. The scale that the table gives stands beside what was computed."""
    name = item.rstrip(" :")
    unit = f" {word(scale, language)}" if scale else ""
    shown = "; ".join(f"{figure.year}: {_written(figure)}" for figure in held)
    if len(held) == 1 and asked.op is Op.VALUE:
        shown = f"{_written(held[0])}{_beside(held[0], unit)} ({held[0].year})"
        return word("value", language, item=name, held=shown)
    if asked.op is Op.VALUE:
        tail = f" ({unit.strip()})" if unit and not held[0].percent else ""
        return word("value", language, item=name, held=f"{shown}{tail}")
    if asked.op in {Op.YEAR, Op.YEARS}:
        years = word("and", language).join(map(str, result.picked)) or word("none", language)
        key = "passed" if asked.limit is not None else "most" if asked.sign > 0 else "least"
        return word(key, language, item=name, years=years, n=len(result.picked), held=shown)
    assert result.worth is not None
    value = number(round(result.worth, 2), language) + (" %" if result.percent else unit)
    ends = {"a": held[0].year, "b": held[-1].year}
    return word(str(asked.op), language, item=name, value=value, held=shown, **ends)


def _written(figure: Figure) -> str:
    return " ".join(figure.written.split())


def _beside(figure: Figure, unit: str) -> str:
    return "" if figure.percent else unit
