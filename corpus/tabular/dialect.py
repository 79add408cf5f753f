"""How a text table is written: what stands between its cells, around them, and before odd signs.

The delimiter is the one under which rows are steadily equally wide; its cells also have to look like
cells. Everything is judged on a sample from the top of the file; whether quotes are closed is judged
on all of it (`fits`).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

csv.field_size_limit(10_000_000)
# Signs that stand in ordinary text less often come first: they win when all else is equal.
DELIMITERS = ("\t", "|", ";", ",")
RARE = ("~", "^", "¦", "¬", "\x1f", "\x1e", "\x01", "\x02")
SPACES = re.compile(r" {2,}|\t+")
# What runs of signs and spaces are turned into before the csv module splits at it.
INNER = "\x1f"
SAMPLE_ROWS, SAMPLE_SIGNS = 500, 400_000
NUMBER = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,' \u00a0]*(?:[eE][-+]?\d+)?\s?[%€$£)]?")
STEADY = 0.5
NONE = "none"
NAMES = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "pipe": "|",
    "space": " ",
    "spaces": "  ",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """`delimiter` is a sign, a run of signs, two spaces (any run of spaces), or "none": one column.

    `quote` is the sign around cells; `escape` tells that a backslash takes the sign after it as it is;
    `spaced` that spaces after a delimiter belong to no cell; `marked` that the first line only names
    the delimiter.
    """

    delimiter: str = NONE
    quote: str = '"'
    escape: bool = False
    spaced: bool = False
    marked: bool = False


def recognise(sample: Sequence[str], chosen: str = "", *, cut: bool = False) -> Dialect:
    """The dialect of the lines at the top of a file, under the delimiter that a person chose if any.

    `cut` tells that the file goes on after them, perhaps within a cell.
    """
    first = sample[0] if sample else ""
    marked = re.fullmatch(r'"?sep=(.+?)"?\s*', first, re.IGNORECASE)
    lines = sample[1:] if marked else sample
    sign = chosen if chosen.isspace() else chosen.strip()
    if marked and not sign:
        sign = marked[1]
    if not sign:
        return _recognise(lines, cut=cut)
    return replace(_quoting(lines, NAMES.get(sign.lower(), sign), cut=cut), marked=bool(marked))


def _recognise(lines: Sequence[str], *, cut: bool) -> Dialect:
    text = "".join(lines)
    for group in (DELIMITERS, RARE, ("  ",)):
        found = []
        for place, sign in enumerate(group):
            if sign.strip(" ") and sign not in text:
                continue
            dialect = _quoting(lines, _doubled(text, sign), cut=cut)
            rows = _filled(read_rows(lines, dialect))
            if not rows:
                return dialect
            steady, width = _steadiness(rows, whole=group is not DELIMITERS)
            if width > 1:
                score = 0.75 * steady + 0.25 * _cleanness(rows, width)
                found.append((round(score, 6), width, -place, dialect))
        if found:
            return max(found, key=lambda item: item[:3])[3]
    return _quoting(lines, NONE, cut=cut)


def _doubled(text: str, sign: str) -> str:
    """The sign twice, where it never stands alone."""
    twice = sign * 2
    return twice if sign.strip() and text.count(twice) * 2 == text.count(sign) else sign


def _quoting(lines: Sequence[str], sign: str, *, cut: bool) -> Dialect:
    """The dialect of one delimiter: which quotes, escapes and spaces leave its rows steadiest."""
    plain = Dialect(sign, quote=_quote(lines, sign))
    text = "".join(lines)
    options = [plain, replace(plain, quote="")] if plain.quote in text else [plain]
    if sign != NONE and re.search(re.escape(sign) + r" +" + plain.quote, text):
        options.append(replace(plain, spaced=True))
    if "\\" in text:
        options += [replace(option, escape=True) for option in options]

    def merit(option: Dialect) -> tuple[bool, float]:
        # A backslash escapes quotes or delimiters, or nothing: a path is no escape.
        needless = option.escape and not _escapes(text, option)
        sound = bool(option.quote) and not needless and fits(lines, option, cut=cut)
        return sound, round(_steadiness(_filled(read_rows(lines, option)))[0], 3)

    return max(options, key=merit)


def _escapes(text: str, dialect: Dialect) -> bool:
    signs = {dialect.quote or '"', dialect.delimiter}
    return any("\\" + sign in text for sign in signs)


def _quote(lines: Sequence[str], sign: str) -> str:
    """Single quotes, where cells open and close with them and no cell does so with double ones."""
    between = rf"(?:^|{re.escape(sign)}) *" if sign != NONE else "^"
    after = rf" *(?=$|{re.escape(sign)})" if sign != NONE else "$"
    single = opened = 0
    for line in lines:
        bare = line.rstrip("\r\n")
        if re.search(between + '"', bare):
            return '"'
        opened += len(re.findall(between + "'", bare))
        single += len(re.findall(between + r"'(?:[^']|'')*'" + after, bare))
    return "'" if single and single == opened else '"'


def _filled(rows: Iterable[list[str]]) -> list[list[str]]:
    return [row for row in rows if any(cell.strip() for cell in row)]


def _steadiness(rows: Sequence[Sequence[str]], *, whole: bool = False) -> tuple[float, int]:
    """How steadily rows are equally wide, 0 to 1, and how wide (1 when they make no table).

    The share of rows as wide as most between the first and the last such row (rows above and below
    are titles and notes), and how much of the file that is. `whole` asks that every row is as wide.
    """
    widths = [len(row) for row in rows]
    best = (0.0, 1)
    for width, hits in Counter(widths).items():
        if width < 2 or (hits < 2 and len(rows) > 1) or (whole and (hits < len(rows) or hits < 2)):
            continue
        first = widths.index(width)
        last = len(widths) - widths[::-1].index(width)
        share, part = hits / (last - first), (last - first) / len(rows)
        if share >= STEADY and (share == 1 or widths.count(1) <= hits):
            best = max(best, (0.8 * share + 0.2 * part, width))
    return best


def _cleanness(rows: Sequence[Sequence[str]], width: int) -> float:
    """The share of cells that are numbers or empty, or hold no sign that could part cells."""
    cells = [cell.strip() for row in rows if len(row) == width for cell in row]
    clean = (
        not cell or NUMBER.fullmatch(cell) or not any(sign in cell for sign in DELIMITERS)
        for cell in cells
    )
    return sum(map(bool, clean)) / len(cells)


def read_rows(
    lines: Iterable[str], dialect: Dialect, *, strict: bool = False
) -> Iterator[list[str]]:
    """Rows of lines that keep their ends. Raises csv.Error on cells that are too long or, when strict,
    on quotes that do not close."""
    if dialect.delimiter == NONE:
        lines = (line.replace(INNER, " ") for line in lines)
    elif len(dialect.delimiter) > 1:
        lines = _joined(lines, dialect.delimiter)
    single = len(dialect.delimiter) == 1
    return csv.reader(
        lines,
        delimiter=dialect.delimiter if single else INNER,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar="\\" if dialect.escape else None,
        skipinitialspace=dialect.spaced,
        strict=strict,
    )


def _joined(lines: Iterable[str], sign: str) -> Iterator[str]:
    for line in lines:
        if sign.strip():
            yield line.replace(sign, INNER)
        else:
            bare = line.rstrip("\r\n")
            yield SPACES.sub(INNER, bare.strip()) + line[len(bare) :]


def fits(lines: Iterable[str], dialect: Dialect, *, cut: bool = False) -> bool:
    """Whether every quote that opens a cell closes it. `cut` lines may end within a cell."""
    try:
        for _row in read_rows(lines, dialect, strict=True):
            pass
    except csv.Error as error:
        return cut and "unexpected end of data" in str(error)
    return True
