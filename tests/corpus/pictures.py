"""Pictures of pages for tests of OCR, drawn with a font that lies in reportlab's wheel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"


def drawn(lines: Sequence[str], *, size: int = 26, width: int = 900) -> Image.Image:
    """Lines of text, black on white, one below the other."""
    image = Image.new("RGB", (width, 80 + len(lines) * size * 2), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.truetype(str(FONT), size)
    for at, line in enumerate(lines):
        pen.text((50, 40 + at * size * 2), line, fill="black", font=font)
    return image


def pixels(image: Image.Image) -> NDArray[np.uint8]:
    """As OCR takes it: height × width × 3, BGR."""
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
