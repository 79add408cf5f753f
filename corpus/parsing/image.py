"""Pictures: photographs, scans and faxes, read by OCR. Each image of a TIFF is a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.errors import UnreadableFile
from corpus.parsing import ocr
from corpus.parsing.layout import document_blocks
from corpus.values import ParsedDocument, ParsedPage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus.parsing.lines import PageLines
    from corpus.parsing.ocr.values import Picture
    from corpus.values import Block

PAGES = 200
PIXELS = 100_000_000
# Dots per inch: what a scanner may write, and what a picture is taken for that does not say.
LEAST, MOST, USUAL = 60, 2400, 150


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    """Read a picture. Raises UnreadableFile when it is damaged, too large, or shows no text."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # Ours is the limit, checked before anything is unpacked.
    pages: list[PageLines] = []
    unreadable: list[str] = []
    with Image.open(path) as image:
        count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        for picture, dpi in _pictures(image, min(count, PAGES), name):
            height, width = picture.shape[:2]
            pages.append(
                ocr.read_page(
                    picture,
                    number=len(pages) + 1,
                    width=width * 72 / dpi,
                    height=height * 72 / dpi,
                )
            )
    if not any(page.lines for page in pages):
        raise UnreadableFile(_nothing(name, pages))
    blocks = document_blocks(pages)
    unreadable += [f"page {page.number}: {_why(page)}" for page in pages if not page.lines]
    if count > PAGES:
        unreadable.append(f"pages {PAGES + 1} to {count}: at most {PAGES} of a picture are read")
    return ParsedDocument(
        title=Path(name).stem,
        blocks=tuple(block for held in blocks for block in held),
        pages=tuple(_page(page, held) for page, held in zip(pages, blocks, strict=True)),
        unreadable=tuple(unreadable),
    )


def _pictures(image: Any, count: int, name: str) -> Iterator[tuple[Picture, float]]:
    """Each page upright as its camera says, in BGR, with its dots per inch."""
    import numpy as np
    from PIL import ImageOps

    for at in range(count):
        image.seek(at)
        if image.width * image.height > PIXELS:
            raise UnreadableFile(
                f"{name} is {image.width} × {image.height} pixels; at most"
                f" {PIXELS // 1_000_000} megapixels are read. Make it smaller."
            )
        told = image.info.get("dpi") or (0, 0)
        dpi = float(told[0]) if LEAST <= float(told[0]) <= MOST else float(USUAL)
        colours = _coloured(ImageOps.exif_transpose(image))
        yield np.ascontiguousarray(np.asarray(colours)[:, :, ::-1]), dpi


def _coloured(image: Any) -> Any:
    """In plain colours: what is see-through lies on white, and fine greys keep their range."""
    import numpy as np
    from PIL import Image

    if image.mode.startswith(("I", "F")):
        grey = np.asarray(image, dtype=np.float64)
        low, high = float(grey.min()), float(grey.max())
        spread = (grey - low) * (255.0 / ((high - low) or 1.0))
        return Image.fromarray(spread.astype(np.uint8)).convert("RGB")
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        over = image.convert("RGBA")
        ground = Image.new("RGBA", over.size, "white")
        return Image.alpha_composite(ground, over).convert("RGB")
    return image.convert("RGB")


def _page(page: PageLines, blocks: Sequence[Block]) -> ParsedPage:
    return ParsedPage(
        number=page.number,
        engine=page.engine,
        confidence=page.confidence,
        characters=sum(len(block.text) for block in blocks),
        note=page.note,
        furniture="\n".join(block.text for block in blocks if block.kind == "furniture"),
    )


def _why(page: PageLines) -> str:
    return f"no text could be read ({page.note})" if page.note else "no text could be read"


def _nothing(name: str, pages: Sequence[PageLines]) -> str:
    notes = "; ".join(dict.fromkeys(page.note for page in pages if page.note))
    why = f" ({notes})" if notes else ""
    return (
        f"{name} is unreadable: no text could be read in it{why}."
        " Take the picture again, nearer and with more light, or upload the original."
    )
