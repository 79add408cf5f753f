"""Numbers and dates of a column, decided from all its values together."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CURRENCY = re.compile(r"[€$£%\s\u00a0\u202f]|EUR|USD|GBP")
PLAIN = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?")
POINT = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
LEADING_ZERO = re.compile(r"0\d+")
ONE_GROUP = re.compile(r"[+-]?\d{1,3}[.,]\d{3}")
TRUE = {"sim", "yes", "true", "verdadeiro"}
FALSE = {"não", "nao", "no", "false", "falso"}
DATE_FORMATS = ("%Y-%m-%d", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%y")


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a column is read: its kind, the converter of one cell, and a warning (or empty)."""

    kind: str
    convert: Callable[[str], object]
    warning: str = ""


def bare(cell: str) -> str:
    """A number's text without currency, per cent and spaces; accountants' brackets mean minus."""
    text = CURRENCY.sub("", cell)
    return f"-{text[1:-1]}" if text.startswith("(") and text.endswith(")") else text


def conversion(cells: Sequence[str]) -> Conversion:
    """The narrowest kind that fits every filled cell; text when none does or the format is open."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    if not filled:
        return Conversion("text", str.strip)
    lowered = {cell.lower() for cell in filled}
    if lowered <= TRUE | FALSE and len(lowered) > 1:
        return Conversion("boolean", lambda cell: cell.strip().lower() in TRUE)
    for pattern in DATE_FORMATS:
        if all(_is_date(cell, pattern) for cell in filled):
            return Conversion("date", lambda cell, p=pattern: _date(cell, p))  # type: ignore[misc]
    return _numeric(filled)


def _numeric(filled: Sequence[str]) -> Conversion:
    bares = [bare(cell) for cell in filled]
    if any(LEADING_ZERO.fullmatch(cell) for cell in bares):
        return Conversion("text", str.strip)
    comma = all(COMMA.fullmatch(cell) for cell in bares)
    point = all(POINT.fullmatch(cell) or PLAIN.fullmatch(cell) for cell in bares)
    if comma and point and any("$" in cell for cell in filled):
        comma = False
    elif comma and point and any("€" in cell for cell in filled):
        point = False
    if comma and point and any(ONE_GROUP.fullmatch(cell) for cell in bares):
        return Conversion(
            "text", str.strip, "numbers such as 1.234 may mean thousands or decimals; kept as text"
        )
    if point:
        whole = all("." not in cell and "e" not in cell.lower() for cell in bares)
        return Conversion("integer" if whole else "number", _point_integer if whole else _point)
    if comma:
        whole = all("," not in cell for cell in bares)
        return Conversion("integer" if whole else "number", _comma_integer if whole else _comma)
    return Conversion("text", str.strip)


def _point(cell: str) -> float:
    return float(bare(cell).replace(",", ""))


def _point_integer(cell: str) -> int:
    return int(bare(cell).replace(",", ""))


def _comma(cell: str) -> float:
    return float(bare(cell).replace(".", "").replace(",", "."))


def _comma_integer(cell: str) -> int:
    return int(bare(cell).replace(".", ""))


def _is_date(cell: str, pattern: str) -> bool:
    try:
        _date(cell, pattern)
    except ValueError:
        return False
    return True


def _date(cell: str, pattern: str) -> dt.date:
    text = cell.strip()
    if re.fullmatch(r".+[ T]00:00(:00)?", text):
        text = re.split(r"[ T]", text)[0]
    return dt.datetime.strptime(text, pattern).date()
