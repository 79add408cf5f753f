"""Text tables: CSV and its relatives, read line by line."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import encoding_named, encoding_of
from corpus.tabular.dialect import (
    SAMPLE_ROWS,
    SAMPLE_SIGNS,
    Dialect,
    fits,
    read_rows,
    recognise,
)
from corpus.tabular.grid import Found, table_from
from corpus.tabular.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.tabular.options import Options

ROWS = 5_000_000


def read_text_table(path: Path, name: str, title: str, options: Options) -> Found:
    """The table of a text file. Raises UnreadableFile when it holds none or a choice does not fit it."""
    with path.open("rb") as handle:
        encoding, guessed = encoding_of(handle)
    if options.encoding:
        encoding, guessed = encoding_named(options.encoding), False
    lines = _Lines(path, name, encoding, strict=bool(options.encoding))
    dialect, warnings = _settle(lines, options.delimiter, name)
    if guessed:
        warnings.insert(0, f"The encoding was guessed: {encoding}.")
    source = Source(
        title=title,
        rows=lambda: _rows(lines, dialect, name),
        reading={"delimiter": dialect.delimiter, "encoding": encoding},
        header_row=options.header_row,
        numbers=options.numbers,
    )
    found = table_from(source)
    return replace(found, warnings=(*warnings, *found.warnings))


class _Lines:
    """The lines of a file with their ends, as often as they are asked for."""

    def __init__(self, path: Path, name: str, encoding: str, *, strict: bool) -> None:
        self.path, self.name, self.encoding = path, name, encoding
        self.errors = "strict" if strict else "replace"

    def __iter__(self) -> Iterator[str]:
        with self.path.open(encoding=self.encoding, errors=self.errors, newline="") as handle:
            try:
                yield from handle
            except UnicodeError as error:
                raise UnreadableFile(
                    f"{self.name} is not written in {self.encoding}."
                    " Choose another encoding, or none to have it recognised."
                ) from error

    def sample(self) -> tuple[list[str], bool]:
        """The lines at the top, and whether others follow."""
        found: list[str] = []
        size = 0
        for line in self:
            if len(found) == SAMPLE_ROWS or size > SAMPLE_SIGNS:
                return found, True
            found.append(line)
            size += len(line)
        return found, False


def _settle(lines: _Lines, chosen: str, name: str) -> tuple[Dialect, list[str]]:
    """The dialect under which all quotes of the file close; a warning when there is none."""
    sample, cut = lines.sample()
    dialect = recognise(sample, chosen, cut=cut)
    if dialect.quote and fits(_unmarked(lines, dialect), dialect):
        return dialect, []
    other = replace(dialect, escape=not dialect.escape)
    if cut and dialect.quote and fits(_unmarked(lines, other), other):
        return other, []
    note = f"{name}: some quotes are not closed; check the cells around them."
    return recognise(sample, chosen), [note]


def _unmarked(lines: _Lines, dialect: Dialect) -> Iterator[str]:
    """The lines, with the one that only names the delimiter left blank, so that rows keep their numbers."""
    return chain(["\n"], islice(lines, 1, None)) if dialect.marked else iter(lines)


def _rows(lines: _Lines, dialect: Dialect, name: str) -> Iterator[list[str]]:
    reader = read_rows(_unmarked(lines, dialect), dialect)
    try:
        yield from islice(reader, ROWS)
        more = next(reader, None)
    except csv.Error as error:
        raise UnreadableFile(
            f"{name} cannot be read as a table: {error}. Check the quotes and the length of its cells."
        ) from error
    if more is not None:
        raise UnreadableFile(f"{name} has more than {ROWS:,} rows. Split it into smaller files.")
