"""What parsing yields and chunking takes: plain values, no ORM row."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document in reading order.

    `kind` is heading, paragraph, list, table, code, figure, caption, or summary (what a table holds,
    said in a few words); `level` is a heading's depth
    from 1; `page` is the physical page from 1, None where the format has none.
    """

    kind: str
    text: str
    page: int | None = None
    level: int = 0


@dataclass(frozen=True, slots=True)
class ParsedPage:
    number: int
    engine: str
    confidence: float | None
    characters: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class ParsedColumn:
    """A column as it goes into the store. `kind` is integer, number, date, boolean or text."""

    label: str
    sql_name: str
    kind: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A table with its rows converted to the columns' kinds (None where a cell is empty)."""

    title: str
    columns: tuple[ParsedColumn, ...]
    rows: tuple[tuple[object, ...], ...]
    reading: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """All that was read. `unreadable` names what was left out and why."""

    title: str
    blocks: tuple[Block, ...]
    tables: tuple[ParsedTable, ...] = ()
    pages: tuple[ParsedPage, ...] = ()
    warnings: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage before it is embedded. `heading_path` runs from the document's title downwards."""

    position: int
    heading_path: tuple[str, ...]
    text: str
    block: str
    page: int | None
    language: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation read from a sentence, by entity names as they stand in the text."""

    subject: str
    predicate: str
    object: str
    sentence: str
