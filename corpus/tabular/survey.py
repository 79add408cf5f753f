"""A first reading of all rows: what each column holds, and which rows are no rows of the table."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from corpus.tabular.across import across
from corpus.tabular.footer import footer
from corpus.tabular.numbers import Conversion, Evidence
from corpus.tabular.source import Row, Source, line, repeats, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpus.tabular.header import Header

TAIL, BLOCK = 40, 2_000


@dataclass(slots=True)
class Survey:
    """`rows` counts the table's own; `above`, `repeated`, `totals` and `tail` are left out of it."""

    evidence: list[Evidence] = field(default_factory=list)
    rows: int = 0
    repeated: int = 0
    totals: int = 0
    wider: int = 0
    above: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)

    def said(self, title: str, header: Header) -> list[str]:
        """Warnings about rows that are no part of the table."""
        said = []
        notes = len(self.tail) - self.totals
        if self.above:
            said.append(
                f"{_rows(len(self.above))} above the header {_were(len(self.above))} left out"
            )
        if self.totals:
            which = "row is a total" if self.totals == 1 else "rows are totals"
            said.append(f"the last {which} and {_were(self.totals)} left out")
        if notes:
            said.append(f"{_rows(notes)} of notes below the table {_were(notes)} left out")
        if self.repeated:
            said.append(
                f"{_rows(self.repeated)} with the header again {_were(self.repeated)} left out"
            )
        if not self.rows:
            said.append("the header has no rows below it")
        elif header.bottom < header.top:
            said.append("no row of names was found; columns are numbered")
        elif self.wider:
            has = "has" if self.wider == 1 else "have"
            said.append(
                f"{_rows(self.wider)} {has} more cells than the header; those columns are numbered"
            )
        return [f"{title}: {text}" for text in said]

    def reading(
        self, source: Source, header: Header, conversions: Sequence[Conversion]
    ) -> dict[str, str]:
        """How the rows were read, to be shown and overridden. `left_out` counts filled rows."""
        named = header.bottom >= header.top
        left_out = len(self.above) + self.repeated + len(self.tail)
        decimals = {how.decimal for how in conversions} - {""}
        reading = {
            "header_row": str(source.first + header.top) if named else "0",
            "numbers": source.numbers or "/".join(sorted(decimals)),
        }
        if header.bottom > header.top:
            reading["header_rows"] = str(header.bottom - header.top + 1)
        if left_out:
            reading["left_out"] = str(left_out)
        return source.reading | reading


def survey_of(source: Source, header: Header) -> Survey:
    """Read all rows once. The last ones wait until it is known that they are rows of the table."""
    survey = Survey(above=_lines(islice(source.rows(), header.top)))
    tail: deque[Row] = deque()
    block: list[Row] = []
    for row in source.below(header):
        tail.append(row)
        if len(tail) <= TAIL:
            continue
        block.append(tail.popleft())
        if len(block) == BLOCK:
            _take(survey, block, header)
            block = []
    last = list(tail)
    totals, notes = footer([*block[-1:], *last]) if last else (0, 0)
    # Of items by years a total is one more item; nobody adds such a table up downwards.
    totals = 0 if across(header.labels) else totals
    cut = len(last) - min(totals + notes, len(last))
    survey.totals, survey.tail = totals, _lines(last[cut:])
    _take(survey, [*block, *last[:cut]], header)
    return survey


def _take(survey: Survey, rows: Sequence[Row], header: Header) -> None:
    named = len(header.labels)
    own = []
    for row in rows:
        if repeats(row, header):
            survey.repeated += 1
        elif filled := width(row):
            own.append(row)
            survey.wider += 0 < named < filled
    survey.rows += len(own)
    for place, column in enumerate(zip_longest(*own)):
        if place == len(survey.evidence):
            survey.evidence.append(Evidence())
        survey.evidence[place].add_all(column)


def _lines(rows: Iterable[Row]) -> list[str]:
    return [text for text in map(line, rows) if text]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
