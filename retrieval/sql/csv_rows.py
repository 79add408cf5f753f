"""Rows as CSV that a spreadsheet opens and does not run."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# A spreadsheet takes a text that begins so for a formula (OWASP, CSV injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
MARK = "\ufeff"


class _Echo:
    """Hands each line straight on."""

    def write(self, line: str) -> str:
        return line


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The lines of the file, its byte order mark first, so that Excel reads accents."""
    writer = csv.writer(_Echo())
    yield MARK
    yield writer.writerow([_safe(name) for name in columns])
    for row in rows:
        yield writer.writerow([_safe(cell) for cell in row])


def _safe(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith(FORMULA):
        return f"'{cell}"
    return "" if cell is None else cell
