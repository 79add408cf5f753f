"""What a person chose against what was recognised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Mapping

NUMBERS = ("comma", "point")


@dataclass(frozen=True, slots=True)
class Options:
    """Empty where nothing was chosen. `header_row` counts the file's rows from 1; 0: it has none."""

    delimiter: str = ""
    encoding: str = ""
    header_row: int | None = None
    numbers: str = ""


def read_options(name: str, options: Mapping[str, str]) -> Options:
    """The choices for a file. Raises UnreadableFile that names the one that means nothing."""
    delimiter = str(options.get("delimiter") or "")
    if len(delimiter) > 10 or "\n" in delimiter or '"' in delimiter:
        raise UnreadableFile(
            f"{name}: “{delimiter[:20]}” cannot part cells. Choose for example ; , | or tab."
        )
    numbers = str(options.get("numbers") or "")
    if numbers and numbers not in NUMBERS:
        raise UnreadableFile(
            f"{name}: “{numbers[:20]}” is no format of numbers. Choose comma (1.234,5) or point (1,234.5)."
        )
    row = str(options.get("header_row") or "").strip()
    if row and not (row.isascii() and row.isdigit() and len(row) < 8):
        raise UnreadableFile(
            f"{name}: “{row[:20]}” is no row. Choose the number of the row that holds the column names."
        )
    return Options(
        delimiter, str(options.get("encoding") or ""), int(row) if row else None, numbers
    )
