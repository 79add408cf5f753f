"""Rows of cells to a typed table.

Rows are read twice, or three times where cells were converted, and never held all at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import batched, zip_longest
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.tabular.cells import Cell, text_of
from corpus.tabular.names import sql_names, unit
from corpus.tabular.numbers import Conversion, Evidence, Hints, agreed, decide
from corpus.tabular.rows import keep
from corpus.tabular.source import Row, Source
from corpus.tabular.survey import BLOCK, Survey, survey_of
from corpus.values import ParsedColumn, ParsedTable
from engines.language import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from corpus.tabular.header import Header

MOST_COLUMNS = 20_000


@dataclass(frozen=True, slots=True)
class Found:
    """A table (None when there is no row of data), what was noteworthy, and the text around it."""

    table: ParsedTable | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where each column stands in a row, how its cells are converted, and warnings."""

    columns: tuple[ParsedColumn, ...]
    places: tuple[int, ...]
    conversions: tuple[Conversion, ...]
    warnings: tuple[str, ...]


def table_from_grid(
    grid: Sequence[Row], title: str, reading: dict[str, str]
) -> tuple[ParsedTable | None, list[str]]:
    """The table in the grid with what was noteworthy; None when the grid holds no data row."""
    found = table_from(Source(title, lambda: grid, reading))
    return found.table, list(found.warnings)


def table_from(source: Source) -> Found:
    """The table in the rows. Raises UnreadableFile when the header row that was chosen is not there."""
    header = source.header()
    if header is None:
        return Found(None, (f"{source.title}: no row was found",))
    survey = survey_of(source, header)
    said = survey.said(source.title, header)
    if not survey.rows:
        names = " ".join(filter(None, header.labels))
        return Found(None, tuple(said), (*survey.above, names, *survey.tail))
    plan = _plan(source, header, survey)
    table = ParsedTable(
        title=source.title,
        columns=plan.columns,
        rows=keep(_converted(source.body(header, survey.rows), plan)),
        reading=survey.reading(source, header, plan.conversions),
    )
    if _changed(source.body(header, survey.rows), plan, table.rows):
        raw = (_texts(row, plan.places) for row in source.body(header, survey.rows))
        table = replace(table, raw=keep(raw))
    return Found(table, (*said, *plan.warnings), (*survey.above, *survey.tail))


def _plan(source: Source, header: Header, survey: Survey) -> _Plan:
    width = max(len(header.labels), len(survey.evidence))
    if width > MOST_COLUMNS:
        raise UnreadableFile(
            f"{source.title} has {width} columns; {MOST_COLUMNS} can be read. Swap its rows and columns."
        )
    labels = [*header.labels, *[""] * (width - len(header.labels))]
    evidence = [*survey.evidence, *(Evidence() for _ in range(width - len(survey.evidence)))]
    places = tuple(place for place in range(width) if labels[place] or evidence[place].counts)
    names = sql_names([labels[place] for place in places])

    def decided(hints: Hints) -> tuple[Conversion, ...]:
        return tuple(decide(evidence[at], hints.under(fold(labels[at]))) for at in places)

    chosen = Hints(chosen=source.numbers)
    conversions = decided(replace(agreed(decided(chosen)), chosen=source.numbers))
    columns, warnings = [], []
    for place, name, how in zip(places, names, conversions, strict=True):
        label = labels[place] or name
        if how.warning:
            warnings.append(f"{source.title}, {label}: {how.warning}")
        columns.append(ParsedColumn(label, name, how.kind, unit(label, evidence[place].signs())))
    return _Plan(tuple(columns), places, conversions, tuple(warnings))


def _converted(rows: Iterable[Row], plan: _Plan) -> Iterator[tuple[object, ...]]:
    """Rows with each cell as its column's kind. Equal cells of a block are converted once."""
    for block in batched(rows, BLOCK):
        columns = list(zip_longest(*block))
        empty = (None,) * len(block)
        converted: list[list[object]] = []
        for place, how in zip(plan.places, plan.conversions, strict=True):
            cells = columns[place] if place < len(columns) else empty
            if how.kind == "text":
                converted.append([_text(cell) for cell in cells])
                continue
            values = {cell: how.convert(cell) if _text(cell) else None for cell in set(cells)}
            converted.append([values[cell] for cell in cells])
        yield from zip(*converted, strict=True)


def _text(cell: Cell) -> str | None:
    return (cell.strip() if isinstance(cell, str) else text_of(cell)) or None


def _texts(row: Row, places: Sequence[int]) -> tuple[str, ...]:
    width = len(row)
    return tuple([text_of(row[place]) if place < width else "" for place in places])


def _changed(rows: Iterable[Row], plan: _Plan, values: Iterable[tuple[object, ...]]) -> bool:
    """Whether any value reads otherwise than its cell."""
    checked = [at for at, how in enumerate(plan.conversions) if how.kind != "text"]
    if not checked:
        return False
    places = [plan.places[at] for at in checked]
    return any(
        _texts(row, places) != tuple("" if own[at] is None else str(own[at]) for at in checked)
        for row, own in zip(rows, values, strict=True)
    )
