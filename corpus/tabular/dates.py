"""Dates as people write them, read under each order of day and month that they allow. Pure."""

from __future__ import annotations

import datetime as dt
import functools
import re

from engines.language import fold

ANY, DAY_FIRST, MONTH_FIRST = "ymd", "dmy", "mdy"
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january janeiro enero janvier",
            "feb fev february fevereiro febrero fevrier",
            "mar march marco marzo mars",
            "apr abr april abril avr avril",
            "may mai maio mayo",
            "jun june junho junio juin",
            "jul july julho julio juillet",
            "aug ago august agosto aout",
            "sep sept set september setembro septiembre septembre",
            "oct out october outubro octubre octobre",
            "nov november novembro noviembre novembre",
            "dec dez dic december dezembro diciembre decembre",
        ),
        start=1,
    )
    for name in names.split()
}
TIME = (
    r"(?:(?:T|,? +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)?"
    r"(?: ?[ap]\.?m\.?)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
YEAR = r"(?P<year>[0-9]{4})"
ISO = re.compile(
    rf"{YEAR}(?P<sign>[-/.])(?P<b>[0-9]{{1,2}})(?P=sign)(?P<a>[0-9]{{1,2}}){TIME}", re.I
)
FIGURES = re.compile(
    r"(?P<a>[0-9]{1,2})(?P<sign>[-/.])(?P<b>[0-9]{1,2})(?P=sign)(?P<year>[0-9]{4}|[0-9]{2})" + TIME,
    re.I,
)
# "12 Jan 2024", "12-jan-24", "12 de janeiro de 2024", with or without a weekday before it.
NAMED = re.compile(
    r"(?:[^\W\d]+(?:-feira)?,? +)?(?P<a>[0-9]{1,2})(?:st|nd|rd|th|\.|º)?"
    rf"(?:[-/ ]| de )(?P<name>[^\W\d]{{3,10}})\.?,?(?:[-/ ]| de )(?P<year>[0-9]{{4}}|[0-9]{{2}}){TIME}",
    re.I,
)
NAME_FIRST = re.compile(
    rf"(?:[^\W\d]+, +)?(?P<name>[^\W\d]{{3,10}})\.? (?P<a>[0-9]{{1,2}})(?:st|nd|rd|th)?,? {YEAR}{TIME}",
    re.I,
)
# Two-digit years up to this one are of this century.
PIVOT = 68


@functools.lru_cache(maxsize=50_000)
def readings(text: str) -> tuple[dict[str, dt.date], bool]:
    """The date under each order that the text allows (`ANY` where the order is plain), and whether
    it also names a time of day other than midnight. Empty where the text is no date."""
    found = ISO.fullmatch(text)
    if found:
        orders = {ANY: (found["a"], found["b"])}
    elif found := FIGURES.fullmatch(text):
        orders = {DAY_FIRST: (found["a"], found["b"])}
        if found["sign"] != ".":
            orders[MONTH_FIRST] = (found["b"], found["a"])
    elif found := NAMED.fullmatch(text) or NAME_FIRST.fullmatch(text):
        orders = {ANY: (found["a"], str(MONTHS.get(fold(found["name"]), 0)))}
    else:
        return {}, False
    year = int(found["year"])
    if len(found["year"]) == 2:
        year += 2000 if year <= PIVOT else 1900
    days = {}
    for order, (day, month) in orders.items():
        try:
            days[order] = dt.date(year, int(month), int(day))
        except ValueError:
            continue
    timed = any(int(found[part] or 0) for part in ("hour", "minute", "second"))
    return days, timed
