"""Builds the binary files of the demo corpus from the text sources in ``corpus_src``.

``python eval/make_corpus.py`` rewrites every .docx, .pdf, .png and .xlsx of ``eval/corpus``. The
.md, .html and .csv files there are their own sources and are left alone. Seeds and timestamps are
fixed, so that a second run with the same libraries gives the same bytes.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import random
import re
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import reportlab
from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "corpus_src"
TARGET = HERE / "corpus"
FONTS = Path(reportlab.__file__).parent / "fonts"  # Vera travels with reportlab, accents included
STAMP = dt.datetime(2026, 1, 5, 9, 0, 0)
SCAN_DPI = 170
_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")

DOCX = ("manual_colaborador", "contratos_fornecedores", "relatorio_anual_2023")
PDF = {
    "relatorio_anual_2021": 1,
    "relatorio_anual_2022": 1,
    "plano_energia_ambiente": 1,
    "revista_barro_e_vidrado": 2,
}
SCAN_PNG = "aviso_rececao_materias_primas"
SCAN_PDF = "carta_auditoria_1998"


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a text source.

    Args:
        level: 1 to 3 for a heading, 0 for a paragraph.
        text: the text without markdown marks; a scan's lines keep their line breaks.
    """

    level: int
    text: str


def blocks(name: str) -> list[Block]:
    """Reads ``corpus_src/<name>.md``: headings (#, ##, ###) and paragraphs between blank lines."""
    found = []
    for part in (SOURCES / f"{name}.md").read_text(encoding="utf-8").split("\n\n"):
        text = part.strip()
        marks = len(text) - len(text.lstrip("#"))
        heading, _, below = text[marks:].strip().partition("\n") if marks else ("", "", text)
        if heading:
            found.append(Block(marks, heading.strip()))
        if below.strip():
            found.append(Block(0, below.strip()))
    return found


def _rezip(raw: bytes) -> bytes:
    """Puts ``STAMP`` where the writers put the time of saving, whatever the properties say."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for item in old.infolist():
            info = zipfile.ZipInfo(item.filename, STAMP.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            data = old.read(item.filename)
            if item.filename == "docProps/core.xml":
                data = _MODIFIED.sub(STAMP.strftime(r"\g<1>%Y-%m-%dT%H:%M:%SZ").encode(), data)
            new.writestr(info, data)
    return out.getvalue()


def make_docx(name: str) -> bytes:
    """A Word file with real heading styles."""
    document = Document()
    for block in blocks(name):
        if block.level:
            document.add_heading(block.text, level=block.level)
        else:
            document.add_paragraph(block.text)
    core = document.core_properties
    core.author, core.title = "Cerâmica Vale de Arões", blocks(name)[0].text
    core.created = core.modified = STAMP
    core.language = "pt-PT"
    out = io.BytesIO()
    document.save(out)
    return _rezip(out.getvalue())


def _styles(columns: int) -> dict[int, ParagraphStyle]:
    size = 9.0 if columns == 2 else 10.5
    return {
        1: ParagraphStyle("h1", fontName="VeraBd", fontSize=20, leading=26, spaceAfter=14),
        2: ParagraphStyle(
            "h2",
            fontName="VeraBd",
            fontSize=15,
            leading=20,
            spaceBefore=14,
            spaceAfter=8,
            keepWithNext=1,
        ),
        3: ParagraphStyle(
            "h3",
            fontName="VeraBd",
            fontSize=11.5,
            leading=15,
            spaceBefore=9,
            spaceAfter=4,
            keepWithNext=1,
        ),
        0: ParagraphStyle("body", fontName="Vera", fontSize=size, leading=size * 1.4, spaceAfter=6),
    }


def make_pdf(name: str, columns: int) -> bytes:
    """A PDF with a text layer, in one column or in two that must be read one after the other."""
    pdfmetrics.registerFont(TTFont("Vera", str(FONTS / "Vera.ttf")))
    pdfmetrics.registerFont(TTFont("VeraBd", str(FONTS / "VeraBd.ttf")))
    content = blocks(name)
    styles = _styles(columns)
    width, height = A4
    margin, gap = 54.0, 22.0
    each = (width - 2 * margin - gap * (columns - 1)) / columns
    frames = [
        Frame(margin + i * (each + gap), margin, each, height - 2 * margin, 0, 0, 0, 0)
        for i in range(columns)
    ]

    def footer(canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.setFont("Vera", 8)
        canvas.drawCentredString(width / 2, 30, f"{content[0].text}  |  {canvas.getPageNumber()}")

    out = io.BytesIO()
    document = BaseDocTemplate(
        out, pagesize=A4, title=content[0].text, author="Cerâmica Vale de Arões", invariant=1
    )
    document.addPageTemplates([PageTemplate(frames=frames, onPage=footer)])
    document.build([Paragraph(escape(block.text), styles[block.level]) for block in content])
    return out.getvalue()


def scan(name: str, *, skew: float, seed: int) -> Image.Image:
    """A page image as an office scanner gives it: grey, slightly turned, speckled, a little soft.

    Args:
        name: the text source; its line breaks are kept.
        skew: degrees, anticlockwise.
        seed: of the speckle.
    Returns:
        An A4 page in mode ``L`` at ``SCAN_DPI``.
    """
    size = (int(8.27 * SCAN_DPI), int(11.69 * SCAN_DPI))
    page = Image.new("L", size, 250)
    draw = ImageDraw.Draw(page)
    y = SCAN_DPI
    for block in blocks(name):
        points = {0: 12.5, 1: 21.0, 2: 16.0, 3: 13.5}[block.level]
        pixels = int(points * SCAN_DPI / 72)
        face = "VeraBd.ttf" if block.level else "Vera.ttf"
        font = ImageFont.truetype(str(FONTS / face), pixels)
        y += pixels // 2 if block.level else 0
        for line in block.text.splitlines():
            draw.text((int(SCAN_DPI * 0.9), y), line, font=font, fill=35)
            y += int(pixels * 1.5)
        y += pixels // 2
    page = page.rotate(skew, resample=Image.Resampling.BICUBIC, fillcolor=250)
    page = page.filter(ImageFilter.GaussianBlur(0.6))
    speckle = Image.frombytes("L", size, random.Random(seed).randbytes(size[0] * size[1]))
    return ImageChops.subtract(page, speckle.point(lambda v: max(0, v - 246) * 8))


def make_scan_png(name: str) -> bytes:
    """The scanned page as a picture file."""
    out = io.BytesIO()
    page = scan(name, skew=0.7, seed=27).quantize(16).convert("L")
    page.save(out, "PNG", dpi=(SCAN_DPI, SCAN_DPI), optimize=True)
    return out.getvalue()


def make_scan_pdf(name: str) -> bytes:
    """A PDF whose only page is a picture: no text layer."""
    picture = io.BytesIO()
    scan(name, skew=-0.6, seed=1998).save(picture, "JPEG", quality=80, dpi=(SCAN_DPI, SCAN_DPI))
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    canvas.setTitle("Documento digitalizado")
    picture.seek(0)
    canvas.drawImage(ImageReader(picture), 0, 0, *A4)
    canvas.save()
    return out.getvalue()


def _cell(text: str) -> str | float | dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def _rows(name: str) -> tuple[list[str], list[list[str | float | dt.date]]]:
    with (SOURCES / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        header, *rest = csv.reader(handle, delimiter=";")
    return header, [[_cell(value) for value in row] for row in rest]


def _saved(book: Workbook) -> bytes:
    book.properties.creator = "Cerâmica Vale de Arões"
    book.properties.created = book.properties.modified = STAMP
    out = io.BytesIO()
    book.save(out)
    return _rezip(out.getvalue())


def make_staff() -> bytes:
    """The tidy workbook: one sheet, the header in the first row."""
    header, rows = _rows("colaboradores")
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Colaboradores"
    for row in [header, *rows]:
        sheet.append(row)
    return _saved(book)


def make_purchases() -> bytes:
    """The messy workbook: titles and a merged cell above the header, a total row below the data."""
    header, rows = _rows("compras_2025")
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Compras"
    last = get_column_letter(len(header))
    sheet["A1"] = "Cerâmica Vale de Arões, S.A."
    sheet["A2"] = "Mapa de compras de matérias-primas e combustível, 2025"
    for line in (1, 2):
        sheet.merge_cells(f"A{line}:{last}{line}")
        sheet[f"A{line}"].alignment = Alignment(horizontal="center")
        sheet[f"A{line}"].font = Font(bold=True)
    sheet.append([])
    sheet.append(header)
    for row in rows:
        sheet.append(row)
    total = round(sum(float(row[6]) for row in rows if not isinstance(row[6], dt.date)), 2)
    sheet.append(["Total", None, None, None, None, None, total])
    return _saved(book)


def build() -> dict[str, bytes]:
    """Every generated file of the corpus: its name and its bytes."""
    return {
        **{f"{name}.docx": make_docx(name) for name in DOCX},
        **{f"{name}.pdf": make_pdf(name, columns) for name, columns in PDF.items()},
        f"{SCAN_PNG}.png": make_scan_png(SCAN_PNG),
        f"{SCAN_PDF}.pdf": make_scan_pdf(SCAN_PDF),
        "colaboradores.xlsx": make_staff(),
        "compras_2025.xlsx": make_purchases(),
    }


def main() -> int:
    """Writes the files and names each with its size."""
    TARGET.mkdir(exist_ok=True)
    for name, data in build().items():
        (TARGET / name).write_bytes(data)
        sys.stdout.write(f"{name}: {len(data):,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
