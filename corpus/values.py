"""What parsing yields and chunking takes: plain values, no ORM row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on a page, in shares of the page's width and height, from its top left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def union(self, other: Place) -> Place:
        """The smallest rectangle around both."""
        return Place(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document in reading order.

    `kind` is heading, paragraph, list, table, code, figure, caption, summary (what a table holds,
    said in a few words), or furniture (a running header or footer: kept with its page, never made a
    passage). `level` is a heading's depth from 1; `page` is the physical page from 1, None where the
    format has none; `place` is where it stands on that page, None where that is not known. A block of
    kind table carries its cells in `grid`, rows of equal width; a block of kind code may carry the
    qualified name of what it defines in `name`.
    """

    kind: str
    text: str
    page: int | None = None
    level: int = 0
    place: Place | None = None
    grid: tuple[tuple[str, ...], ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """How a page was read. `number` is its physical index from 1, `label` what is printed on it.

    `engine` is "text" for the text layer, else the name of the OCR engine; `confidence` is the mean
    of the engine's (0 to 1). `note` says why the text layer was not taken, or what was odd; `furniture`
    holds its running headers and footers.
    """

    number: int
    engine: str
    confidence: float | None
    characters: int
    label: str = ""
    note: str = ""
    furniture: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file: an e-mail's attachment, a member of an archive. A document of its own."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ParsedColumn:
    """A column as it goes into the store. `kind` is integer, number, date, boolean or text."""

    label: str
    sql_name: str
    kind: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A table with its rows converted to the columns' kinds (None where a cell is empty).

    `raw` holds the rows as they stand in the file, as wide as `columns`; it is empty when nothing was
    converted. `page` is the physical page that the table stands on, None where the format has none.
    """

    title: str
    columns: tuple[ParsedColumn, ...]
    rows: Sequence[tuple[object, ...]]
    reading: dict[str, str] = field(default_factory=dict)
    raw: Sequence[tuple[object, ...]] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """All that was read. `unreadable` names what was left out and why.

    `attachments` are files found inside this one; each becomes a document of its own.
    """

    title: str
    blocks: tuple[Block, ...]
    tables: tuple[ParsedTable, ...] = ()
    pages: tuple[ParsedPage, ...] = ()
    warnings: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage before it is embedded. `heading_path` runs from the document's title downwards.

    `page` is where it begins; `places` holds each page it lies on with the rectangle there.
    """

    position: int
    heading_path: tuple[str, ...]
    text: str
    block: str
    page: int | None
    language: str
    places: tuple[tuple[int, Place], ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation read from a sentence, by entity names as they stand in the text."""

    subject: str
    predicate: str
    object: str
    sentence: str
