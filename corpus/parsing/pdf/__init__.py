"""PDF, page by page: the text layer where it can be trusted, OCR where it cannot, then the layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import UnreadableFile
from corpus.parsing.hidden import quoted
from corpus.parsing.layout import document_blocks
from corpus.parsing.lines import PageLines
from corpus.parsing.pdf.reading import BLANK, DOUBTFUL, Budget, Reading, read_page
from corpus.values import Attachment, Block, ParsedDocument, ParsedPage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEMBERS, MEMBER_BYTES = 100, 64 * 1024 * 1024


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    """Read a PDF that has passed the preflight. Raises UnreadableFile when nothing stands on any page."""
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(path)
    try:
        if document.get_formtype():
            document.init_forms()
        budget = Budget()
        readings = _read(document, budget)
        attachments, refused = _attachments(document)
    finally:
        document.close()
    return _document(name, readings, budget, attachments, refused)


def _read(document: Any, budget: Budget) -> list[Reading]:
    """Every page, one at a time, closed before the next."""
    import pypdfium2 as pdfium

    form = document.formenv.raw if document.formenv else None
    readings = []
    for at in range(len(document)):
        try:
            page = document[at]
        except pdfium.PdfiumError as error:
            readings.append(_broken(at + 1, str(error)))
            continue
        try:
            readings.append(read_page(page, at + 1, document.get_page_label(at), form, budget))
        finally:
            page.close()
    return readings


def _broken(number: int, why: str) -> Reading:
    return Reading(PageLines(number, 1, 1, ()), lost=f"the page is damaged ({why})")


def _attachments(document: Any) -> tuple[list[Attachment], list[str]]:
    """Files within the PDF, and which of them are not taken."""
    import pypdfium2 as pdfium

    count = document.count_attachments()
    taken, refused = [], []
    for at in range(min(count, MEMBERS)):
        member = document.get_attachment(at)
        name = member.get_name() or f"attachment {at + 1}"
        try:
            data = bytes(member.get_data())
        except pdfium.PdfiumError:
            refused.append(f"{name}: it is damaged")
            continue
        if 0 < len(data) <= MEMBER_BYTES:
            taken.append(Attachment(name, data))
        elif data:
            refused.append(f"{name}: it is larger than {MEMBER_BYTES // 1024 // 1024} MB")
    if count > MEMBERS:
        refused.append(f"{count - MEMBERS} more attachments: at most {MEMBERS} are taken")
    return taken, refused


def _document(
    name: str,
    readings: Sequence[Reading],
    budget: Budget,
    attachments: Sequence[Attachment],
    refused: Sequence[str],
) -> ParsedDocument:
    laid = document_blocks([reading.page for reading in readings])
    blocks = [_placed(held, reading) for held, reading in zip(laid, readings, strict=True)]
    every = [block for held in blocks for block in held]
    if not any(block.text.strip() for block in every) and not attachments:
        raise UnreadableFile(_why_nothing(name, readings))
    return ParsedDocument(
        title=_title(every, name),
        blocks=tuple(every),
        pages=tuple(_page(held, one) for held, one in zip(blocks, readings, strict=True)),
        warnings=tuple(_warnings(readings, budget)),
        unreadable=(
            *(f"page {one.page.number}: {one.lost}" for one in readings if one.lost),
            *refused,
        ),
        attachments=tuple(attachments),
    )


def _placed(laid: Sequence[Block], reading: Reading) -> list[Block]:
    """The page's blocks with its figures among them."""
    blocks = list(laid)
    for figure in reading.figures:
        blocks.insert(_before(blocks, figure), figure)
    return blocks


def _before(blocks: Sequence[Block], figure: Block) -> int:
    """Before the first block of its column that stands below its top; else before the footers."""
    spot = figure.place
    for at, block in enumerate(blocks):
        place = block.place
        if spot is None or place is None or block.kind == "furniture":
            continue
        beside = min(place.right, spot.right) > max(place.left, spot.left)
        if beside and place.top >= spot.top:
            return at
    held = [at for at, block in enumerate(blocks) if block.kind != "furniture"]
    return held[-1] + 1 if held else 0


def _why_nothing(name: str, readings: Sequence[Reading]) -> str:
    pages = f"{len(readings)} pages" if len(readings) != 1 else "page"
    if all(reading.page.note == BLANK for reading in readings):
        return f"{name} is blank: nothing stands on its {pages}. Check that it is the right file."
    return (
        f"{name} is unreadable: no text could be read on its {pages}, by the text layer or by OCR."
        " Scan it again with more contrast, or upload the original."
    )


def _title(blocks: Sequence[Block], name: str) -> str:
    first = next((block.page for block in blocks if block.kind == "heading"), None)
    heads = [block for block in blocks if block.kind == "heading" and block.page == first]
    return min(heads, key=lambda block: block.level).text if heads else Path(name).stem


def _page(blocks: Sequence[Block], reading: Reading) -> ParsedPage:
    page = reading.page
    return ParsedPage(
        number=page.number,
        engine=page.engine,
        confidence=page.confidence,
        characters=sum(len(block.text) for block in blocks),
        label=page.label,
        note=page.note,
        furniture="\n".join(block.text for block in blocks if block.kind == "furniture"),
    )


def _warnings(readings: Sequence[Reading], budget: Budget) -> list[str]:
    hidden: dict[str, str] = {}
    for reading in readings:
        for text, why in reading.hidden.items():
            hidden.setdefault(text, f"{why}, page {reading.page.number}")
    warnings = quoted(hidden)
    outside = [str(one.page.number) for one in readings if one.outside]
    if outside:
        warnings.append(f"Text beyond the edges of page {', '.join(outside)} was left out.")
    doubtful = [one.page.number for one in readings if one.page.note.startswith(DOUBTFUL)]
    if doubtful:
        pages = ", ".join(map(str, doubtful))
        warnings.append(f"The text of page {pages} looks damaged, and OCR read no better.")
    if budget.unread:
        warnings.append(f"{budget.unread} further pictures were not read.")
    return warnings
