"""Years as names of columns: rows are items then, and a total at the end is one of them. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]\d|\d)")


def year_of(label: str) -> int:
    """The one year that a name of a column says; 0 where it says none or several."""
    found = {int(year) for year in YEAR.findall(label)}
    return found.pop() if len(found) == 1 else 0


def across(labels: Iterable[str]) -> bool:
    """Whether the columns after the first are years: at least two, and most of those that have a name."""
    named = [label for label in [*labels][1:] if label]
    years = [year for label in named if (year := year_of(label))]
    return len(set(years)) >= 2 and 2 * len(years) >= len(named)
