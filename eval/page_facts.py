"""Facts about a page that a reading must bear out, in the layout of olmOCR-bench, and their checks.

A fact is a JSON object with `pdf`, `page`, `id` and `type`: *present* and *absent* (`text` stands in
the reading, or does not, in its first `first_n` or last `last_n` signs where those are given), *order*
(`before` stands before `after`), *table* (a `cell` exists, and its neighbour `up`, `down`, `left` or
`right`, or a heading above it in its column or before it in its row, is as said). Facts of type *math*
are formulas and are not judged.
"""

from __future__ import annotations

import itertools
import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from corpus.values import Block

Grid = tuple[tuple[str, ...], ...]
JUDGED = frozenset({"present", "absent", "order", "table"})
PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "−": "-"})
BESIDE = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class FactsInvalid(Exception):
    """The file of facts is not in the layout; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an engine read on a page: its running text, and its tables as grids of cells."""

    text: str
    grids: tuple[Grid, ...] = ()


def facts(path: Path) -> list[dict[str, Any]]:
    """The objects of the file, one or several to a line. Raises FactsInvalid."""
    text, found, at = path.read_text(encoding="utf-8"), [], 0
    decoder = json.JSONDecoder()
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        try:
            fact, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise FactsInvalid(f"{path}: no JSON object at character {at}: {error.msg}.") from error
        if not isinstance(fact, dict) or not {"pdf", "type"} <= fact.keys():
            raise FactsInvalid(f"{path}: an object before character {at} has no pdf or no type.")
        found.append(fact)
    return found


def reading_of(blocks: Sequence[Block]) -> Reading:
    """All blocks but running headers and footers, in order."""
    kept = [block for block in blocks if block.kind != "furniture"]
    return Reading("\n".join(block.text for block in kept), tuple(b.grid for b in kept if b.grid))


def holds(fact: dict[str, Any], reading: Reading) -> bool:
    """Whether the reading bears the fact out. `max_diffs` signs may differ."""
    slack = int(fact.get("max_diffs") or 0)
    if fact["type"] == "table":
        return any(_in_grid(fact, grid, slack) for grid in reading.grids)
    text = bare(reading.text)
    if fact["type"] == "order":
        before = [span[0] for span in _found(bare(fact["before"]), text, slack)]
        after = [span[0] for span in _found(bare(fact["after"]), text, slack)]
        return bool(before and after) and min(before) < max(after)
    wanted = bare(fact["text"])
    if fact.get("case_sensitive") is False:
        wanted, text = wanted.casefold(), text.casefold()
    if fact.get("first_n"):
        text = text[: fact["first_n"]]
    if fact.get("last_n"):
        text = text[-fact["last_n"] :]
    present = next(_found(wanted, text, slack), None) is not None
    return bool(present == (fact["type"] == "present"))


def bare(text: str) -> str:
    """One space between words, plain quotes and dashes, no emphasis marks, composed accents."""
    plain = unicodedata.normalize("NFC", text.translate(PLAIN)).replace("**", "")
    return " ".join(plain.split())


def _found(wanted: str, text: str, slack: int) -> Iterator[tuple[int, int]]:
    """Where `wanted` stands in `text`, up to `slack` insertions, deletions and changes of a sign."""
    pattern = f"({regex.escape(wanted)}){{e<={slack}}}" if slack else regex.escape(wanted)
    return (match.span() for match in regex.finditer(pattern, text))


def _in_grid(fact: dict[str, Any], grid: Grid, slack: int) -> bool:
    cells = [[bare(cell) for cell in row] for row in grid]
    places = itertools.product(range(len(cells)), range(max(map(len, cells), default=0)))
    return any(
        _same(_cell(cells, *place), fact["cell"], slack) and _around(fact, cells, *place, slack)
        for place in places
    )


def _around(
    fact: dict[str, Any], cells: list[list[str]], row: int, column: int, slack: int
) -> bool:
    """Whether everything that the fact says about the cell's neighbours holds for this place."""
    for side, (down, right) in BESIDE.items():
        wanted = fact.get(side)
        if wanted and not _same(_cell(cells, row + down, column + right), wanted, slack):
            return False
    above = [_cell(cells, other, column) for other in range(row)]
    before = [_cell(cells, row, other) for other in range(column)]
    for key, held in (("top_heading", above), ("left_heading", before)):
        wanted = fact.get(key)
        if wanted and not any(_same(cell, wanted, slack) for cell in held):
            return False
    return True


def _cell(cells: list[list[str]], row: int, column: int) -> str:
    inside = 0 <= row < len(cells) and 0 <= column < len(cells[row])
    return cells[row][column] if inside else ""


def _same(cell: str, wanted: str, slack: int) -> bool:
    wanted = bare(wanted)
    if not slack or not cell:
        return cell == wanted
    return regex.fullmatch(f"({regex.escape(wanted)}){{e<={slack}}}", cell) is not None
