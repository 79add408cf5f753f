"""What one cell can be: the readings that it allows, apart from the column it stands in. Pure."""

from __future__ import annotations

import datetime as dt
import functools
import re
from decimal import Decimal

from corpus.tabular import dates

type Cell = (
    str | int | float | Decimal | bool | dt.date | dt.datetime | dt.time | dt.timedelta | None
)

TRUE = frozenset({"sim", "yes", "true", "verdadeiro"})
FALSE = frozenset({"não", "nao", "no", "false", "falso"})
# Written where a figure is missing. In a column of text they stay as they stand.
MISSING = frozenset(
    {
        *("-", "–", "—", "−", "--", "---", ".", "..", "...", "?"),
        *("n/a", "n.a.", "na", "n.d.", "nd", "s/d", "nan", "null", "none", "nil"),
        *("#n/a", "#value!", "#ref!", "#div/0!", "#name?", "#null!", "#num!"),
    }
)
CURRENCY = re.compile(r"R\$|US\$|[€$£¥]|\b(?:EUR|USD|GBP|BRL|CHF)\b")
NOTES = re.compile(r"(?:\s*\[[^\]]{1,8}\]|[*†‡])+$")
SPACE = " '’\u00a0\u202f\u2009"
# A group of thousands never begins with a nought: 0.123 is a decimal under any reading.
GROUPED = r"[1-9][0-9]{{0,2}}(?:(?P<g>[{signs}])[0-9]{{3}})(?:(?P=g)[0-9]{{3}})*"
NUMBER = r"(?:{grouped}|[0-9]+)(?:{sign}[0-9]+)?|{sign}[0-9]+|[0-9]+(?:{sign}[0-9]+)?[eE][-+]?[0-9]{{1,2}}"
POINT = re.compile(NUMBER.format(grouped=GROUPED.format(signs="," + SPACE), sign=r"\."))
COMMA = re.compile(NUMBER.format(grouped=GROUPED.format(signs="." + SPACE), sign=","))
# What most figures look like, so that most cells are settled by one look.
SIMPLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
FIXED = re.compile(r"-?(?:0|[1-9][0-9]*)([.,])(?:[0-9]{1,2}|[0-9]{4,15})")
FIGURES = re.compile(r"[0-9]")
ONE_GROUP = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
LEADING_ZERO = re.compile(r"0[0-9]+")
# Nine figures in threes are how telephone and tax numbers are written.
CALLING = re.compile(r"[0-9]{3} [0-9]{3} [0-9]{3}")
LARGEST = 2**63
Marks = frozenset[str]
WHOLE: Marks = frozenset({"point", "comma", "whole_point", "whole_comma"})
BROKEN: Marks = frozenset({"point", "comma"})
DAY: Marks = frozenset({dates.ANY})
TEXT: Marks = frozenset()
AT_SIGN: dict[str, Marks] = {".": frozenset({"point"}), ",": frozenset({"comma"})}


def marks(cell: Cell) -> Marks:
    """What a filled cell can be. A cell that is typed in its file can be that alone.

    point, comma: a number under that decimal sign; whole_point, whole_comma: without decimals; group:
    its value depends on the reading; code: led by noughts; calling: spaced like a telephone number;
    ymd, dmy, mdy: a date under that order, time: with a time of day; day_one, month_one: its first or
    second figure is 1; true, false; missing; and the signs €, $, % that stand in it.
    """
    if isinstance(cell, str):
        return _text_marks(cell.strip())
    if isinstance(cell, bool):
        return frozenset({"typed", "true" if cell else "false"})
    if isinstance(cell, int | float | Decimal):
        return WHOLE if number(cell) % 1 == 0 and abs(number(cell)) < LARGEST else BROKEN
    if isinstance(cell, dt.datetime):
        return DAY if cell.time() == dt.time() else DAY | {"time"}
    return DAY if isinstance(cell, dt.date) else TEXT


@functools.lru_cache(maxsize=100_000)
def _text_marks(text: str) -> Marks:
    if SIMPLE.fullmatch(text):
        return WHOLE
    fixed = FIXED.fullmatch(text)
    if fixed:
        return AT_SIGN[fixed[1]]
    if not FIGURES.search(text):
        return _word_marks(text.lower())
    days, timed = dates.readings(text)
    return _date_marks(text, set(days), timed=timed) if days else _number_marks(text)


def _date_marks(text: str, orders: set[str], *, timed: bool) -> Marks:
    parts = [part.lstrip("0") for part in re.split(r"[^0-9]", text)]
    found = {*orders, *(["time"] if timed else [])}
    if len(orders) > 1 and parts[0] != parts[1]:
        found.add("swap")
    found |= {
        name for name, part in zip(("day_one", "month_one"), parts, strict=False) if part == "1"
    }
    return frozenset(found)


def _word_marks(text: str) -> Marks:
    if text in MISSING:
        return frozenset({"missing"})
    if text in TRUE:
        return frozenset({"true"})
    return frozenset({"false"}) if text in FALSE else TEXT


def _number_marks(text: str) -> Marks:
    _, digits = bare(text)
    found = {
        name for name, grammar in (("point", POINT), ("comma", COMMA)) if grammar.fullmatch(digits)
    }
    if not found:
        return TEXT
    for name, sign in (("point", "."), ("comma", ",")):
        if name in found:
            value = number(text, sign)
            exact = value == value.to_integral_value() and abs(value) < LARGEST
            if exact and sign not in digits and "e" not in digits.lower():
                found.add(f"whole_{name}")
    if len(found & {"point", "comma"}) == 2 and ONE_GROUP.fullmatch(digits):
        found.add("group")
    if LEADING_ZERO.fullmatch(digits):
        found.add("code")
    if CALLING.fullmatch(text):
        found.add("calling")
    return frozenset(found | {sign for sign in "€$£%" if sign in text})


def bare(text: str) -> tuple[bool, str]:
    """Whether a number is negative, and its figures without sign, currency, per cent and notes.

    Accountants' brackets and a minus behind the figures mean minus too.
    """
    kept = CURRENCY.sub("", NOTES.sub("", text)).strip().removesuffix("%").strip()
    negative = kept.startswith("(") and kept.endswith(")")
    if negative:
        kept = CURRENCY.sub("", kept[1:-1]).strip().removesuffix("%").strip()
    if kept[:1] in {"-", "−", "–"} and kept[1:2] not in {"-", "−", "–"}:
        return not negative, kept[1:].strip()
    if kept.endswith("-") and not negative:
        return True, kept[:-1].strip()
    return negative, kept.removeprefix("+")


def number(cell: Cell, decimal: str = ".") -> Decimal:
    """The exact value of a cell that `marks` calls a number under this decimal sign.

    A number that is typed in its file is kept at the 15 figures that a spreadsheet keeps.
    """
    if isinstance(cell, Decimal):
        return cell
    if not isinstance(cell, str):
        return Decimal(format(cell, ".15g") if isinstance(cell, float) else str(cell))
    text = cell.strip()
    fixed = FIXED.fullmatch(text)
    if fixed and fixed[1] == decimal:
        return Decimal(text.replace(decimal, "."))
    negative, digits = bare(text)
    for sign in f"{SPACE}{',' if decimal == '.' else '.'}":
        digits = digits.replace(sign, "")
    value = Decimal(digits.replace(decimal, "."))
    return -value if negative else value


def text_of(cell: Cell) -> str:
    """A cell as text; a date without a time of day and a whole number as people write them."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None:
        return ""
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(" ")
    if isinstance(cell, float):
        return format(number(cell), "f")
    return str(cell).strip()
