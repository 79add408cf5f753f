"""Text in the pictures of a document, read by OCR: those that are large enough, and not too many."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from corpus.values import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.parsing.doctree import Picture

LIMIT = 12
SIDE, AREA, MOST = 60, 40_000, 25_000_000
WORD = re.compile(r"[^\W\d_]{2,}")


def with_pictures(
    blocks: Sequence[Block], pictures: Sequence[Picture]
) -> tuple[list[Block], list[str]]:
    """The blocks with what the pictures say as figures in their places, and what was left unread."""
    found: dict[int, list[Block]] = {}
    seen: set[bytes] = set()
    unread = 0
    for picture in pictures:
        image = picture.image.convert("RGB")
        width, height = image.size
        if min(width, height) < SIDE or not AREA <= width * height <= MOST:
            continue
        content = hashlib.sha256(image.tobytes()).digest()
        if content in seen:
            continue
        if len(seen) >= LIMIT:
            unread += 1
            continue
        seen.add(content)
        text = _read(image)
        if text:
            block = Block("figure", text, picture.page)
            found.setdefault(picture.position, []).append(block)
    merged: list[Block] = []
    for position in range(len(blocks) + 1):
        merged += found.get(position, [])
        merged += blocks[position : position + 1]
    told = f"{unread} further pictures were not read: at most {LIMIT} of a document are."
    return merged, [told] if unread else []


def _read(image: Any) -> str:
    """The words in a picture; empty when it says nothing that is worth finding."""
    import numpy as np

    from corpus.parsing import ocr

    pixels = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
    page = ocr.read_page(pixels, number=1, width=image.width * 0.75, height=image.height * 0.75)
    text = "\n".join(line.text for line in page.lines)
    return text if len(WORD.findall(text)) >= 2 else ""
