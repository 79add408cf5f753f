"""Rows below a table that are none of its own: totals, averages, notes. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.tabular.cells import Cell, marks, text_of
from engines.language import fold

TOTAL = re.compile(
    r"(sub-?)?tota(l|is|ls|les)\b|grand total|(soma|sum|somatorio|media|average|mean)( geral| total)?:?$"
)
NOTE = re.compile(
    r"(fontes?|sources?|notas?|notes?|obs|observac(ao|oes))\s*[.:]|[*†‡¹²³]|\([a-z0-9*]{1,2}\)"
)
LONG = 80
type Rows = Sequence[Sequence[Cell]]


def footer(rows: Rows) -> tuple[int, int]:
    """How many of the last rows are totals or averages, and how many below them are notes.

    Blank rows count with what follows them. Rows are the last of a table, in their order.
    """
    end = len(rows)
    while end and _note(rows[end - 1], rows[end - 2] if end > 1 else (), len(rows[0])):
        end -= 1
    notes = len(rows) - end
    if notes and not any(_filled(row) for row in rows[end:]):
        end, notes = len(rows), 0
    stop = end
    while stop > 1 and _is_total(rows[stop - 1], rows[stop - 2]):
        stop -= 1
    return end - stop, notes


def _filled(row: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in row if text_of(cell)]


def _note(row: Sequence[Cell], above: Sequence[Cell], width: int) -> bool:
    filled = _filled(row)
    if not filled:
        return True
    if len(filled) > 1 or width < 2:
        return False
    text = text_of(filled[0])
    if marks(filled[0]):
        return False
    return not _filled(above) or len(text) > LONG or bool(NOTE.match(fold(text)))


def _is_total(row: Sequence[Cell], above: Sequence[Cell]) -> bool:
    """A name of a total, and figures beside it. A name that stands in the row above too is a group's."""
    filled = _filled(row)
    if not filled or not TOTAL.match(fold(text_of(filled[0]))):
        return False
    label = fold(text_of(filled[0]))
    if any(fold(text_of(cell)) == label for cell in above):
        return False
    return all(marks(cell) or fold(text_of(cell)) == label for cell in filled[1:])
