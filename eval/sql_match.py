"""Whether two results say the same: execution accuracy.

Rows are a bag, or a list where the wanted statement orders them. Numbers are held together by value to six
significant digits, texts without the space around them, days by day however written, and yes/no by meaning,
since a table keeps them in its own kinds. Columns may stand in any one order for all rows, as in the test
suites of Zhong et al., "Semantic Evaluation for Text-to-SQL with Distilled Test Suites" (EMNLP 2020): a
question seldom says an order of columns. No column may be missing and none be added.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = tuple[Any, ...]
MOST_PERMUTED = 7
TRUTHS = {"t": True, "true": True, "yes": True, "y": True, "1": True}
TRUTHS |= {"f": False, "false": False, "no": False, "n": False, "0": False}
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\Z")
DAYS = (
    "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%B %d, %Y", "%B%d,%Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y",
    "%d/%m/%Y", "%m/%d/%Y",
)  # fmt: skip


def same_result(wanted: Sequence[Row], found: Sequence[Row], *, ordered: bool) -> bool:
    """Whether `found` is `wanted`; their order counts where `ordered`."""
    if len(wanted) != len(found):
        return False
    if not wanted:
        return True
    width = len(wanted[0])
    if any(len(row) != width for row in [*wanted, *found]):
        return False
    days, truths = _kinds(found, dt.date), _kinds(found, bool)
    gold = [tuple(_plain(cell, n in days, n in truths) for n, cell in enumerate(r)) for r in wanted]
    for order in _orders(width):
        turned = [tuple(_plain(row[n]) for n in order) for row in found]
        # A column of days or truths was told from our side, so it moves with the order.
        said = gold
        if (days or truths) and order != tuple(range(width)):
            said = [
                tuple(
                    _plain(cell, order[n] in days, order[n] in truths) for n, cell in enumerate(row)
                )
                for row in wanted
            ]
        if (said == turned) if ordered else (Counter(said) == Counter(turned)):
            return True
    return False


def _orders(width: int) -> list[tuple[int, ...]]:
    if width > MOST_PERMUTED:
        return [tuple(range(width))]
    return list(itertools.permutations(range(width)))


def _kinds(rows: Sequence[Row], kind: type) -> set[int]:
    return {n for row in rows for n, cell in enumerate(row) if isinstance(cell, kind)}


def _plain(cell: Any, day: bool = False, truth: bool = False) -> str | None:
    """A cell in one form for all kinds."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return f"truth {cell}"
    if isinstance(cell, dt.datetime | dt.date):
        return cell.isoformat()[:10]
    if isinstance(cell, int | float | Decimal):
        return f"{float(cell):.6g}"
    text = re.sub(r"\s+", " ", str(cell)).strip()
    if not text:
        return None
    if truth and text.casefold() in TRUTHS:
        return f"truth {TRUTHS[text.casefold()]}"
    if day and (said := _day(text)):
        return said
    return f"{float(text):.6g}" if NUMBER.match(text) else text


def _day(text: str) -> str:
    for form in DAYS:
        try:
            return dt.datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    return ""


def same_answers(wanted: Sequence[str], found: Sequence[Row]) -> bool:
    """Whether the cells of `found` are the answers of a web-table question, in any order.

    As the scorer of WikiTableQuestions (Pasupat and Liang 2015) does: texts folded in case, without
    quotation marks and remarks in brackets; numbers and days by value.
    """
    cells = [cell for row in found for cell in row if cell is not None]
    return Counter(map(_folded, wanted)) == Counter(map(_folded, cells))


def _folded(cell: Any) -> str | None:
    if not isinstance(cell, str):
        return _plain(cell)
    text = re.sub(r"\[[^\]]*\]|\([^)]*\)\s*\Z|[\"'“”‘’†*]", "", cell).strip().rstrip(".").casefold()
    return _day(text) or _plain(
        text.replace(",", "") if NUMBER.match(text.replace(",", "")) else text
    )
