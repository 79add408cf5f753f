"""The rows of one table as they stand in its file, readable again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from corpus.errors import UnreadableFile
from corpus.tabular.cells import Cell, marks, text_of
from corpus.tabular.header import Header, Merge, header_of, one_line

type Row = Sequence[Cell]
HEAD = 200


@dataclass(frozen=True, slots=True)
class Source:
    """Rows that can be read again and again.

    `first` is the number of their first row in the file, from 1; `merges` are ranges among them whose
    cells below the first row are filled already; `header_row` (in the file) and `numbers` are a
    person's choices.
    """

    title: str
    rows: Callable[[], Iterable[Row]]
    reading: dict[str, str] = field(default_factory=dict)
    first: int = 1
    merges: tuple[Merge, ...] = ()
    header_row: int | None = None
    numbers: str = ""

    def header(self) -> Header | None:
        """Where the names of the columns stand. Raises UnreadableFile when the chosen row is not there."""
        head = list(islice(self.rows(), HEAD))
        if self.header_row is None:
            return header_of(head, self.merges)
        if self.header_row == 0:
            top = next((at for at, row in enumerate(head) if width(row)), 0)
            return Header(top, top - 1, ()) if head else None
        at = self.header_row - self.first
        if at >= len(head):
            head = list(islice(self.rows(), at + HEAD))
        if not 0 <= at < len(head) or not width(head[at]):
            raise UnreadableFile(
                f"{self.title} has no names in row {self.header_row}."
                " Choose the row that holds the column names."
            )
        return header_of(head, self.merges, at)

    def below(self, header: Header) -> Iterator[Row]:
        """All rows below the header, words of merged cells repeated sideways.

        Figures are not repeated: they would be counted twice.
        """
        across: dict[int, list[Merge]] = {}
        for merge in self.merges:
            if merge.right > merge.left:
                for at in range(max(merge.top, header.bottom + 1), merge.bottom + 1):
                    across.setdefault(at, []).append(merge)
        start = header.bottom + 1
        rows = enumerate(islice(iter(self.rows()), start, None), start=start)
        return (_repeated(row, across[at]) if at in across else row for at, row in rows)

    def body(self, header: Header, count: int) -> Iterator[Row]:
        """The first `count` filled rows below the header that do not say it again."""
        own = (row for row in self.below(header) if width(row) and not repeats(row, header))
        return islice(own, count)


def _repeated(row: Row, merges: Sequence[Merge]) -> Row:
    cells = list(row)
    for merge in merges:
        value = cells[merge.left] if merge.left < len(cells) else None
        whole = merge.left == 0 and merge.right >= len(cells) - 1
        if whole or not isinstance(value, str) or marks(value):
            continue
        for place in range(merge.left + 1, min(merge.right + 1, len(cells))):
            cells[place] = cells[place] if text_of(cells[place]) else value
    return cells


def repeats(row: Row, header: Header) -> bool:
    """Whether a row says the names again, as exports of several pages do."""
    labels = header.labels
    first = row[0] if row else None
    if len(set(labels)) < 2 or not isinstance(first, str):
        return False
    if first.split(None, 1)[:1] != labels[0].split(None, 1)[:1]:
        return False
    return tuple(one_line(text_of(cell)) for cell in row[: width(row)]) == labels


def width(row: Row) -> int:
    """How many cells a row has up to its last filled one."""
    for place in range(len(row), 0, -1):
        cell = row[place - 1]
        if cell is not None and (not isinstance(cell, str) or cell.strip()):
            return place
    return 0


def line(row: Row) -> str:
    """A row as text."""
    return " ".join(filter(None, map(text_of, row)))
