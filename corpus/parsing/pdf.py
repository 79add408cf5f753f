"""PDF by its text layer, page by page; a page without a usable one is read by OCR."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import UnreadableFile
from corpus.parsing import ocr
from corpus.values import Block, ParsedDocument, ParsedPage

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGES, DPI = 2000, 200
MINIMUM = 20
BAD = re.compile(r"[\ufffd\ue000-\uf8ff]|\(cid:\d+\)")
SENTENCE_END = re.compile(r"[.!?:;»\"”)]\s*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text layer; coordinates in points, `top` grows upwards as in PDF."""

    text: str
    left: float
    right: float
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.top - self.bottom


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableFile(
                f"{name} is protected by a password. Remove the protection and upload it again."
            ) from error
        raise UnreadableFile(f"{name} is a damaged PDF and cannot be opened.") from error
    if len(document) > PAGES:
        raise UnreadableFile(f"{name} has {len(document)} pages; at most {PAGES} are read.")
    read: list[tuple[ParsedPage, list[Line] | list[Block]]] = []
    lost: list[str] = []
    for number, page in enumerate(document, start=1):
        lines = _lines(page)
        text = " ".join(line.text for line in lines)
        if usable(text):
            read.append((ParsedPage(number, "text", None, len(text)), lines))
            continue
        blocks, confidence = _by_ocr(page, number)
        size = sum(len(block.text) for block in blocks)
        if not blocks:
            lost.append(f"page {number}: no text could be read")
        read.append((ParsedPage(number, ocr.ENGINE, confidence, size), blocks))
    blocks_all = _assemble(read)
    if not blocks_all:
        raise UnreadableFile(
            f"No text could be read on any of the {len(document)} pages of {name}."
        )
    title = next((block.text for block in blocks_all if block.kind == "heading"), Path(name).stem)
    return ParsedDocument(
        title=title,
        blocks=tuple(blocks_all),
        pages=tuple(page for page, _ in read),
        unreadable=tuple(lost),
    )


def usable(text: str) -> bool:
    """Whether a text layer can be trusted: enough of it, few broken signs, words like words."""
    if len(text.strip()) < MINIMUM:
        return False
    broken = sum(len(match) for match in BAD.findall(text))
    if broken > len(text) * 0.05:
        return False
    words = re.findall(r"[^\W\d_]+", text)
    letters = sum(map(len, words))
    # A layer without a Unicode map gives signs instead of letters, or strings of single ones.
    return letters > len(text) * 0.3 and letters / max(1, len(words)) > 1.8


def _by_ocr(page: Any, number: int) -> tuple[list[Block], float | None]:
    scale = min(DPI / 72, 4000 / max(page.get_size()))
    picture = page.render(scale=scale).to_numpy()[:, :, :3]
    return ocr.read(picture, number)


def _lines(page: Any) -> list[Line]:
    """Lines of the page in reading order, over columns."""
    text_page = page.get_textpage()
    pieces = []
    for index in range(text_page.count_rects()):
        left, bottom, right, top = text_page.get_rect(index)
        text = text_page.get_text_bounded(left, bottom, right, top).replace("\r\n", " ").strip()
        if text:
            pieces.append(Line(" ".join(text.split()), left, right, top, bottom))
    return _in_columns(_join_pieces(pieces), page.get_size()[0])


def _join_pieces(pieces: list[Line]) -> list[Line]:
    """Pieces of one baseline that stand close together become one line."""
    joined: list[Line] = []
    for piece in sorted(pieces, key=lambda line: (-round(line.bottom), line.left)):
        last = joined[-1] if joined else None
        if (
            last
            and abs(last.bottom - piece.bottom) < max(last.height, piece.height) * 0.5
            and -2 < piece.left - last.right < max(last.height, piece.height) * 0.9
        ):
            joined[-1] = Line(
                f"{last.text} {piece.text}",
                last.left,
                max(last.right, piece.right),
                max(last.top, piece.top),
                min(last.bottom, piece.bottom),
            )
        else:
            joined.append(piece)
    return joined


def _in_columns(lines: list[Line], width: float) -> list[Line]:
    """Left column before right one where a gutter runs down the middle; full lines cut the page."""
    middle = width / 2
    narrow = [line for line in lines if line.right - line.left < width * 0.48]
    crossing = [line for line in lines if line.left < middle - 8 and line.right > middle + 8]
    right = [line for line in narrow if line.left > middle - 12]
    left = [line for line in narrow if line.right < middle + 12]
    if min(len(left), len(right)) < 3 or len(crossing) > len(lines) * 0.35:
        return sorted(lines, key=lambda line: (-line.top, line.left))
    ordered: list[Line] = []
    band: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.top):
        if line in crossing:
            ordered += _band(band, middle)
            band = []
            ordered.append(line)
        else:
            band.append(line)
    return ordered + _band(band, middle)


def _band(lines: list[Line], middle: float) -> list[Line]:
    return [line for line in lines if line.left < middle - 12] + [
        line for line in lines if line.left >= middle - 12
    ]


def _assemble(read: list[tuple[ParsedPage, Any]]) -> list[Block]:
    """Blocks of all pages: furniture dropped, lines joined to paragraphs, large lines as headings."""
    layers = [(page, lines) for page, lines in read if page.engine == "text"]
    furniture = _furniture(layers)
    heights = [line.height for _, lines in layers for line in lines]
    body = statistics.median(heights) if heights else 10.0
    blocks: list[Block] = []
    for page, content in read:
        if page.engine != "text":
            blocks += content
            continue
        kept = [line for line in content if _shape(line.text) not in furniture]
        blocks += _paragraphs(kept, body, page.number)
    return blocks


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", text.strip().lower())


def _furniture(layers: list[tuple[ParsedPage, list[Line]]]) -> set[str]:
    """First and last lines that come again, page numbers aside, on at least half of three pages."""
    if len(layers) < 3:
        return set()
    edges: Counter[str] = Counter()
    for _, lines in layers:
        by_height = sorted(lines, key=lambda line: -line.top)
        edges.update({_shape(line.text) for line in (*by_height[:2], *by_height[-2:])})
    return {shape for shape, count in edges.items() if count >= max(3, len(layers) * 0.5)}


def _paragraphs(lines: list[Line], body: float, page: int) -> list[Block]:
    blocks: list[Block] = []
    current: list[Line] = []

    def flush() -> None:
        if not current:
            return
        text = _joined([line.text for line in current])
        size = statistics.median(line.height for line in current)
        if size > body * 1.15 and len(text) < 160:
            blocks.append(Block("heading", text, page, level=1 if size > body * 1.6 else 2))
        else:
            blocks.append(Block("paragraph", text, page))
        current.clear()

    for line in lines:
        if current:
            last = current[-1]
            gap = last.bottom - line.top
            resized = abs(last.height - line.height) > body * 0.22
            short = last.right < max(item.right for item in current) - body * 4
            ended = short and SENTENCE_END.search(last.text) is not None
            if gap > body * 0.75 or gap < -body * 3 or resized or ended:
                flush()
        current.append(line)
    flush()
    return blocks


def _joined(lines: list[str]) -> str:
    """Lines as running text; a hyphen at the end of a line is taken back."""
    text = ""
    for line in lines:
        if text.endswith("-") and line[:1].islower():
            text = text[:-1] + line
        else:
            text = f"{text} {line}" if text else line
    return text.replace("\u0002", "")
