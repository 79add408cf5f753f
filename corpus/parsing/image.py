from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing import ocr
from corpus.values import ParsedDocument, ParsedPage

if TYPE_CHECKING:
    from collections.abc import Mapping

PIXELS = 60_000_000


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    import numpy as np
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > PIXELS:
                raise UnreadableFile(f"{name} has more than {PIXELS // 1_000_000} megapixels.")
            upright = ImageOps.exif_transpose(picture).convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise UnreadableFile(f"{name} is a damaged picture: {error}") from error
    blocks, confidence = ocr.read(np.asarray(upright)[:, :, ::-1], 1)
    if not blocks:
        raise UnreadableFile(f"No text could be read in {name}.")
    size = sum(len(block.text) for block in blocks)
    page = ParsedPage(1, ocr.ENGINE, confidence, size)
    return ParsedDocument(title=Path(name).stem, blocks=tuple(blocks), pages=(page,))
