"""What the corpus pages show of a document, apart from their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.models import VersionState
from corpus.naming import INSIDE
from corpus.selectors import progress_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus.models import Chunk, Document, DocumentVersion
    from corpus.selectors import Progress

BUSY = frozenset({VersionState.QUEUED, VersionState.READING})
AGAIN = frozenset({VersionState.FAILED, VersionState.CANCELLED})
# A frame stands off from its letters by so many hundredths of the page.
PAD = 0.4


@dataclass(frozen=True, slots=True)
class Row:
    """A document with its newest version. `parts` are some of the files that came in inside it.

    `inside` is how many there are in all.
    """

    document: Document
    version: DocumentVersion | None
    parts: tuple[Row, ...] = ()
    inside: int = 0

    @property
    def progress(self) -> Progress | None:
        return progress_of(self.version) if self.version else None

    @property
    def percent(self) -> int:
        return self.progress.percent if self.progress else 0

    @property
    def busy(self) -> bool:
        return self.version is not None and self.version.state in BUSY

    @property
    def may_retry(self) -> bool:
        stuck = self.progress is not None and self.progress.stuck
        return stuck or (self.version is not None and self.version.state in AGAIN)

    @property
    def older_serves(self) -> bool:
        """Whether questions are answered from a version before the newest."""
        served, newest = self.document.current_id, self.version
        return served is not None and newest is not None and newest.pk != served

    @property
    def name_inside(self) -> str:
        """The name of a file inside another, without the name of that one before it."""
        parent = self.document.parent
        return self.document.name.removeprefix(f"{parent.name}{INSIDE}" if parent else "")

    @property
    def more(self) -> int:
        return self.inside - len(self.parts)


@dataclass(frozen=True, slots=True)
class Mark:
    """A rectangle on a page for an SVG of 100 by 100, its figures written as SVG wants them."""

    chunk_id: str
    x: str
    y: str
    width: str
    height: str
    chosen: bool


def marks(chunks: Iterable[Chunk], number: int, chosen: str) -> list[Mark]:
    """Where the passages stand on page `number`, the chosen one last, so that it lies on top."""
    found = [
        _mark(str(chunk.pk), place, chosen)
        for chunk in chunks
        for place in chunk.places
        if place[0] == number
    ]
    return sorted(found, key=lambda mark: mark.chosen)


def _mark(chunk_id: str, place: list[Any], chosen: str) -> Mark:
    outwards = (-PAD, -PAD, PAD, PAD)
    left, top, right, bottom = (
        min(100.0, max(0.0, 100 * float(share) + pad))
        for share, pad in zip(place[1:5], outwards, strict=True)
    )
    return Mark(
        chunk_id,
        f"{left:.2f}",
        f"{top:.2f}",
        f"{max(0.0, right - left):.2f}",
        f"{max(0.0, bottom - top):.2f}",
        chosen=chunk_id == chosen,
    )
