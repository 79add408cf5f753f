"""The child process that draws one page: `python -m corpus.pictures_worker`, its order as JSON on stdin.

It says nothing when the picture lies where it was asked for, and leaves with 3 when there is none.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.preflight import PIXELS
from corpus.parsing.worker import DAMAGE, limit

if TYPE_CHECKING:
    from PIL.Image import Image

# Enough to read small print when enlarged; a page of any size ends within these pixels.
WIDTH, HEIGHT = 1400, 2000
NOTHING = 3


def main() -> int:
    order = json.load(sys.stdin)
    limit(order["seconds"], order["megabytes"], order["parent"])
    try:
        picture = draw(Path(order["path"]), order["kind"], order["number"])
        picture.save(order["result"], format="PNG")
    except (UnreadableFile, MemoryError, *DAMAGE):
        traceback.print_exc()
        return NOTHING
    return 0


def draw(path: Path, kind: str, number: int) -> Image:
    """Page `number`, from 1, of a PDF or a picture file, within WIDTH by HEIGHT pixels."""
    return _of_pdf(path, number) if kind == "pdf" else _of_picture(path, number)


def _of_pdf(path: Path, number: int) -> Image:
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(path)
    document.init_forms()
    page = document[number - 1]
    width, height = page.get_size()
    scale = min(WIDTH / width, HEIGHT / height)
    picture: Image = page.render(scale=scale).to_pil().convert("RGB")
    return picture


def _of_picture(path: Path, number: int) -> Image:
    from PIL import Image, ImageOps

    with Image.open(path) as opened:
        opened.seek(number - 1)
        if opened.width * opened.height > PIXELS:
            raise UnreadableFile(f"More than {PIXELS} pixels are not drawn.")
        # A JPEG is decoded at a fraction of its size at once.
        opened.draft("RGB", (WIDTH * 2, HEIGHT * 2))
        upright = ImageOps.exif_transpose(opened)
        # Transparent signs are black on white, as the reading takes them.
        if upright.mode in {"RGBA", "LA", "PA"} or "transparency" in upright.info:
            coloured = upright.convert("RGBA")
            ground = Image.new("RGBA", coloured.size, "white")
            upright = Image.alpha_composite(ground, coloured)
        small = upright.convert("RGB")
    small.thumbnail((WIDTH, HEIGHT))
    return small


if __name__ == "__main__":
    sys.exit(main())
