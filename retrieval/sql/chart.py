"""A small grouped result as bars. Pure: from the rows that a trace keeps to the numbers of a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST, MOST = 2, 24
# In the units of the drawing's own view box.
WIDTH, ROW, BAR, FIRST = 360, 34, 12, 4
LONGEST_LABEL = 34


@dataclass(frozen=True, slots=True)
class Bar:
    """`y` is the top of its row; the bar lies from `x` over `width`."""

    label: str
    value: str
    y: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars in the order of the rows. `zero` is where nought stands."""

    of: str
    by: str
    bars: tuple[Bar, ...]
    zero: float
    height: int
    width: int = WIDTH
    thick: int = BAR


def chart_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Chart | None:
    """The chart of a result of one name and one number per row; None for any other result."""
    if len(columns) != 2 or not LEAST <= len(rows) <= MOST:
        return None
    numbers = [_number(row[1]) for row in rows]
    if any(number is None for number in numbers) or any(_unfit(row[0]) for row in rows):
        return None
    amounts = [number for number in numbers if number is not None]
    low, high = min(0.0, *amounts), max(0.0, *amounts)
    if low == high:
        return None
    scale = WIDTH / (high - low)
    bars = tuple(
        Bar(
            _label(row[0]),
            str(number_format(row[1] if isinstance(row[1], int) else round(amount, 2),
                              force_grouping=True)),
            FIRST + at * ROW,
            round((min(amount, 0.0) - low) * scale, 2),
            round(max(abs(amount) * scale, 0.5), 2),
        )
        for at, (row, amount) in enumerate(zip(rows, amounts, strict=True))
    )  # fmt: skip
    return Chart(columns[1], columns[0], bars, round(-low * scale, 2), FIRST + ROW * len(rows))


def _number(cell: Any) -> float | None:
    """A cell as a trace keeps it: decimals stand there as text."""
    if isinstance(cell, bool) or cell is None:
        return None
    try:
        found = float(cell)
    except (TypeError, ValueError):
        return None
    return found if abs(found) < 1e300 else None


def _unfit(name: Any) -> bool:
    """Two amounts in a row are no name and its amount; years are names."""
    return isinstance(name, float) or (isinstance(name, int) and abs(name) > 3000)


def _label(name: Any) -> str:
    said = "–" if name is None else str(name)
    return said if len(said) <= LONGEST_LABEL else said[: LONGEST_LABEL - 1] + "…"
