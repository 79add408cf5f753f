from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from corpus.errors import UnreadableFile
from corpus.parsing import image, ocr
from corpus.parsing.lines import Line, PageLines
from tests.corpus.pictures import drawn

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.parsing.ocr.values import Picture


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Picture]:
    """The pictures that OCR was shown; it reads a word on each that is not all of one colour."""
    pictures: list[Picture] = []

    def read_page(picture: Picture, *, number: int, width: float, height: float) -> PageLines:
        pictures.append(picture)
        told = picture.max() > picture.min()
        line = Line(f"word {number}", 10, 10, 60, 22, 10, confidence=0.9)
        return PageLines(number, width, height, (line,) if told else (), engine="stub")

    monkeypatch.setattr(ocr, "read_page", read_page)
    return pictures


def test_every_image_of_a_tiff_is_a_page(shown: list[Picture], tmp_path: Path) -> None:
    path = tmp_path / "fax.tiff"
    pages = [drawn(["one"]), Image.new("RGB", (300, 200), "white"), drawn(["three"])]
    pages[0].save(path, save_all=True, append_images=pages[1:], dpi=(200, 200))
    parsed = image.parse(path, "fax.tiff", {})
    assert [page.number for page in parsed.pages] == [1, 2, 3]
    assert [block.page for block in parsed.blocks] == [1, 3]
    assert parsed.unreadable == ("page 2: no text could be read",)


def test_pages_beyond_the_limit_are_named(
    shown: list[Picture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image, "PAGES", 2)
    path = tmp_path / "fax.tiff"
    drawn(["a"]).save(path, save_all=True, append_images=[drawn(["b"]), drawn(["c"])])
    parsed = image.parse(path, "fax.tiff", {})
    assert len(parsed.pages) == 2
    assert "pages 3 to 3" in parsed.unreadable[0]


def test_a_photograph_is_stood_upright_as_its_camera_says(
    shown: list[Picture], tmp_path: Path
) -> None:
    path = tmp_path / "photo.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    drawn(["a"]).rotate(90, expand=True).save(path, exif=exif)
    image.parse(path, "photo.jpg", {})
    height, width = shown[0].shape[:2]
    assert width > height


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "CMYK", "1", "I;16"])
def test_dark_letters_on_light_ground_come_so_from_every_kind_of_pixel(
    shown: list[Picture], tmp_path: Path, mode: str
) -> None:
    grey = np.full((100, 200), 255, np.uint8)
    grey[40:60, 50:150] = 0
    plain = Image.fromarray(grey)
    if mode in {"RGBA", "LA"}:
        # Black letters on nothing.
        made = Image.new(mode, plain.size, (0,) * len(mode))
        made.putalpha(Image.fromarray(255 - grey))
    elif mode == "I;16":
        made = Image.fromarray(grey.astype(np.uint16) * 16)
    else:
        made = plain.convert("RGB").convert(mode)
    path = tmp_path / "x.tiff"
    made.save(path)
    image.parse(path, "x.tiff", {})
    assert shown[0].shape == (100, 200, 3)
    assert shown[0][10, 10].min() > 240
    assert shown[0][50, 100].max() < 15


def test_the_size_of_a_scan_is_that_of_its_paper(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sizes: list[float] = []

    def read_page(picture: Picture, *, number: int, width: float, height: float) -> PageLines:
        sizes.extend((width, height))
        return PageLines(number, width, height, (Line("word", 1, 1, 9, 9, 8),), engine="stub")

    monkeypatch.setattr(ocr, "read_page", read_page)
    for name, dpi in (("a.png", 300), ("b.png", 1)):
        Image.new("RGB", (600, 300)).save(tmp_path / name, dpi=(dpi, dpi))
        image.parse(tmp_path / name, name, {})
    assert sizes == pytest.approx([144, 72, 288, 144], abs=0.1)


def test_a_picture_without_text_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "sky.png"
    Image.new("RGB", (400, 300), "skyblue").save(path)
    with pytest.raises(UnreadableFile, match=r"sky\.png is unreadable.*more light"):
        image.parse(path, "sky.png", {})


def test_a_huge_picture_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    def part(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = part(b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0))
    path = tmp_path / "huge.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", b"") + part(b"IEND", b""))
    with pytest.raises(UnreadableFile, match="30000 × 30000 pixels"):
        image.parse(path, "huge.png", {})


def test_a_receipt_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "recibo.webp"
    drawn(["Mercado São João", "Pão de forma    4,90", "TOTAL    4,90"], width=700).save(path)
    parsed = image.parse(path, "recibo.webp", {})
    assert parsed.title == "recibo"
    assert (parsed.pages[0].engine, parsed.pages[0].number) == ("rapidocr", 1)
    assert (parsed.pages[0].confidence or 0) > 0.8
    text = "\n".join(block.text for block in parsed.blocks)
    assert "São João" in text
    assert text.count("4,90") == 2
    assert all(block.place is not None for block in parsed.blocks)
