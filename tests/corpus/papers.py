"""PDF files that the tests make for themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.ttfonts import TTFontFile
from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WIDTH, HEIGHT = 400, 300
FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
PROSE = (
    "The kiln keeps its heat for nine hours after",
    "the last firing, and the room beside it is",
    "used to dry the cups that were glazed.",
)


def pdf(
    path: Path, *pages: Callable[[Any], None], size: tuple[float, float] = (WIDTH, HEIGHT)
) -> Path:
    """A PDF with one page for each function, which gets the canvas."""
    canvas = Canvas(str(path), pagesize=size, pageCompression=0)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def prose(
    *lines: str, top: float = 40, font: str = "Helvetica", size: float = 11
) -> Callable[[Any], None]:
    """A page of lines in its text layer, the first `top` points below the upper edge."""

    def draw(canvas: Any) -> None:
        canvas.setFont(font, size)
        for at, text in enumerate(lines or PROSE):
            canvas.drawString(40, HEIGHT - top - at * size * 1.3, text)

    return draw


def picture(lines: Sequence[str], *, pixels: int = 26) -> Image.Image:
    """Lines of black text on white, as a scanner gives them."""
    image = Image.new("RGB", (WIDTH * 2, HEIGHT * 2), "white")
    drawing = ImageDraw.Draw(image)
    font = ImageFont.truetype(str(FONT), pixels)
    for at, text in enumerate(lines):
        drawing.text((60, 80 + at * pixels * 1.6), text, fill="black", font=font)
    return image


def scan(image: Image.Image) -> Callable[[Any], None]:
    """A page that is nothing but this picture."""

    def draw(canvas: Any) -> None:
        canvas.drawImage(ImageReader(image), 0, 0, WIDTH, HEIGHT)

    return draw


def scribble() -> Image.Image:
    """A picture with ink and no letter."""
    image = Image.new("RGB", (WIDTH * 2, HEIGHT * 2), "white")
    drawing = ImageDraw.Draw(image)
    drawing.ellipse((200, 100, 600, 500), outline="black", width=6)
    drawing.line((0, 0, WIDTH * 2, HEIGHT * 2), fill="black", width=6)
    return image


def without_letters(path: Path, lines: Sequence[str]) -> Path:
    """A page in a CID font without a map to letters: what is seen can be read, the layer cannot."""
    face = TTFontFile(str(FONT))
    shown = " ".join(
        f"<{''.join(f'{face.charToGlyph[ord(sign)]:04x}' for sign in text)}> Tj 0 -20 Td"
        for text in lines
    )
    widths = " ".join(
        f"{face.charToGlyph[code]} [{round(face.charWidths[code])}]" for code in range(32, 127)
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R"
        b" /Resources << /Font << /F 5 0 R >> >> >>",
        stream(f"BT /F 13 Tf 40 250 Td {shown} ET".encode()),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Vera /Encoding /Identity-H"
        b" /DescendantFonts [6 0 R] >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Vera /CIDToGIDMap /Identity"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        b" /W [" + widths.encode() + b"] /FontDescriptor 7 0 R >>",
        b"<< /Type /FontDescriptor /FontName /Vera /Flags 4 /FontBBox [-183 -236 1287 928]"
        b" /ItalicAngle 0 /Ascent 928 /Descent -236 /CapHeight 729 /StemV 80 /FontFile2 8 0 R >>",
        stream(FONT.read_bytes()),
    ]
    data, places = b"%PDF-1.4\n", []
    for number, held in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, held)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R >>\n" % (
        *(len(objects) + 1, table, len(objects) + 1),
    ) + b"startxref\n%d\n%%%%EOF\n" % len(data)
    path.write_bytes(data)
    return path


def stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(data), data)


def shapes(lines: Sequence[str]) -> Callable[[Any], None]:
    """A page whose letters are drawn as shapes, as some programs export them."""
    image = picture(lines).convert("1")
    marks = image.load()
    assert marks is not None

    def draw(canvas: Any) -> None:
        canvas.setFillColorRGB(0, 0, 0)
        for y in range(image.height):
            start = None
            for x in range(image.width + 1):
                dark = x < image.width and not marks[x, y]
                if dark and start is None:
                    start = x
                elif not dark and start is not None:
                    canvas.rect(start / 2, HEIGHT - y / 2, (x - start) / 2, 0.5, stroke=0, fill=1)
                    start = None

    return draw
