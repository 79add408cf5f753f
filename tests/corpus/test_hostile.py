from __future__ import annotations

import io
import random
import zipfile
from typing import TYPE_CHECKING

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import parse_file, sniff
from corpus.parsing.worker import read
from tests.corpus.compound import compound, message

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def packed(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


BOMB = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><d>&b;</d>'


def ten_thousand_pages() -> bytes:
    kids = b"3 0 R " * 10_000
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Count 10000/Kids[" + kids + b"]>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    )


def picture(side: int) -> bytes:
    """A picture that states a great size and holds next to nothing."""
    from PIL import Image

    held = io.BytesIO()
    Image.new("1", (side, side)).save(held, "PNG")
    return held.getvalue()


@pytest.mark.parametrize(
    ("kind", "data", "reason"),
    [
        ("html", b"<div>" * 20_000, "deep"),
        ("pdf", ten_thousand_pages(), "10000 pages"),
        ("pdf", b"%PDF-1.7 nothing else", "damaged"),
        ("png", picture(12_000), "megapixels"),
        ("png", b"\x89PNG\r\n\x1a\ncut", "damaged"),
        ("docx", packed({"word/document.xml": b"0" * 300_000_000}), "times its size"),
        ("docx", packed({"[Content_Types].xml": BOMB, "word/document.xml": b"<d/>"}), "entities"),
        ("pptx", packed({"[Content_Types].xml": BOMB, "ppt/a.xml": b"<d/>"}), "entities"),
        ("odt", packed({"mimetype": b"x", "content.xml": BOMB}), "entities"),
        ("xlsx", packed({"xl/workbook.xml": BOMB}), "entities"),
        ("docx", packed({f"{n}": b"" for n in range(20_001)}), "20001 members"),
        ("epub", packed({"mimetype": b"application/epub+zip"}), "damaged"),
    ],
)
def test_a_file_made_to_harm_is_refused_quickly_with_the_reason(
    tmp_path: Path, kind: str, data: bytes, reason: str
) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(data)

    with pytest.raises(UnreadableFile, match=reason) as caught:
        parse_file(path, kind=kind, name=path.name, seconds=60)
    assert type(caught.value) is UnreadableFile


def word() -> bytes:
    import docx

    document = docx.Document()
    document.add_paragraph("texto " * 500)
    return saved(document.save)


def slides() -> bytes:
    from pptx import Presentation

    show = Presentation()
    show.slides.add_slide(show.slide_layouts[0]).shapes.title.text = "Título"
    return saved(show.save)


def sheet() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in range(50):
        book.active.append([row, f"valor {row}"])
    return saved(book.save)


def opened(kind: str) -> bytes:
    from odfdo import Document, Paragraph

    document = Document(kind)
    if kind == "text":
        document.body.append(Paragraph("texto"))
    return saved(document.save)


def paper() -> bytes:
    from reportlab.pdfgen import canvas

    held = io.BytesIO()
    page = canvas.Canvas(held)
    page.drawString(100, 700, "Texto de uma página")
    page.save()
    return held.getvalue()


def photo(kind: str) -> bytes:
    from PIL import Image

    held = io.BytesIO()
    Image.effect_noise((300, 200), 60).convert("RGB").save(held, kind)
    return held.getvalue()


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    held = io.BytesIO()
    save(held)
    return held.getvalue()


@pytest.mark.parametrize("share", [0.02, 0.5, 0.97])
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.docx", word),
        ("a.pptx", slides),
        ("a.xlsx", sheet),
        ("a.odt", lambda: opened("text")),
        ("a.ods", lambda: opened("spreadsheet")),
        ("a.odp", lambda: opened("presentation")),
        ("a.pdf", paper),
        ("a.msg", lambda: compound(message({0x37: "Assunto", 0x1000: "texto " * 3000}))),
        ("a.zip", lambda: packed({"a.bin": random.Random(1).randbytes(5000)})),
    ],
)
def test_a_cut_file_is_refused_with_the_reason(
    tmp_path: Path, name: str, make: Callable[[], bytes], share: float
) -> None:
    data = make()
    path = tmp_path / name
    path.write_bytes(data[: int(len(data) * share)])

    with pytest.raises(UnreadableFile, match=name):
        read(path, sniff(path, name), name, {})


@pytest.mark.parametrize(
    "kind", ["docx", "pptx", "xlsx", "odt", "epub", "zip", "doc", "msg", "html"]
)
def test_bytes_without_sense_under_any_type_are_refused_or_read_but_never_crash(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(bytes(range(256)) * 40)

    try:
        assert read(path, kind, path.name, {}).title
    except UnreadableFile as error:
        assert path.name in str(error)
