from __future__ import annotations

from pathlib import Path

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import parse_file, sniff
from corpus.parsing.pdf import usable

CORPUS = Path(__file__).resolve().parents[2] / "eval" / "corpus"


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.bin", b"%PDF-1.7 ...", "pdf"),
        ("photo.txt", b"\x89PNG\r\n\x1a\n....", "png"),
        ("page", b"<!DOCTYPE html><html></html>", "html"),
        ("list.csv", b"a;b\n1;2\n", "csv"),
        ("notes.md", b"# Notes", "md"),
        ("notes", "só texto".encode("cp1252"), "txt"),
        ("wide.txt", "texto".encode("utf-16"), "txt"),
    ],
)
def test_the_type_is_told_from_the_bytes(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    assert sniff(write(tmp_path, name, data), name) == kind


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"  \n ", "is empty"),
        (b"MZ\x90\x00", "a Windows program"),
        (b"\x00\x01\x02binary", "binary file"),
        (b"PK\x03\x04broken", "damaged"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        sniff(write(tmp_path, "x.bin", data), "x.bin")


def test_markdown_keeps_heading_levels_and_drops_marks(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.md", "# Manual\n\nO **prazo** é de 30 dias.\n\n## Férias\n\n- a\n- b\n"
    )
    parsed = parse_file(path, kind="md", name="a.md")

    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 1, "Manual"),
        ("paragraph", 0, "O prazo é de 30 dias."),
        ("heading", 2, "Férias"),
        ("list", 0, "- a\n- b"),
    ]
    assert parsed.title == "Manual"


def test_html_leaves_scripts_out_and_keeps_loose_text(tmp_path: Path) -> None:
    page = "<html><body><script>evil()</script>Solto<h2>Prazo</h2><p>30 dias</p></body></html>"
    parsed = parse_file(write(tmp_path, "a.html", page), kind="html", name="a.html")

    assert [block.text for block in parsed.blocks] == ["Solto", "Prazo", "30 dias"]


def test_html_nested_without_end_is_refused_quickly(tmp_path: Path) -> None:
    path = write(tmp_path, "deep.html", "<div>" * 20_000)

    with pytest.raises(UnreadableFile, match="deep"):
        parse_file(path, kind="html", name="deep.html", seconds=20)


def test_a_two_column_pdf_is_read_column_by_column() -> None:
    name = "revista_barro_e_vidrado.pdf"
    parsed = parse_file(CORPUS / name, kind="pdf", name=name)
    text = " ".join(block.text for block in parsed.blocks)

    assert "O azul profundo que deu fama aos azulejos de 1962" in text.replace("\n", " ")
    assert {page.engine for page in parsed.pages} == {"text"}


def test_a_scanned_pdf_is_read_by_ocr_with_its_page_and_confidence() -> None:
    name = "carta_auditoria_1998.pdf"
    parsed = parse_file(CORPUS / name, kind="pdf", name=name)

    assert parsed.pages[0].engine == "rapidocr"
    assert (parsed.pages[0].confidence or 0) > 0.8
    assert "Vagos" in " ".join(block.text for block in parsed.blocks)
    assert {block.page for block in parsed.blocks} == {1}


def test_a_damaged_pdf_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, "x.pdf", b"%PDF-1.7 nothing else")

    with pytest.raises(UnreadableFile, match="damaged"):
        parse_file(path, kind="pdf", name="x.pdf")


def test_a_conversion_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    path = write(tmp_path, "a.html", "<p>x</p>")

    with pytest.raises(UnreadableFile, match="longer than"):
        parse_file(path, kind="html", name="a.html", seconds=0)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("A comissão visitou a fábrica durante quatro dias.", True),
        ("", False),
        ("(cid:12)(cid:44)(cid:9)(cid:12) (cid:1)(cid:7)", False),
        ("\ue001\ue002\ue003\ue004\ue005 \ue006\ue007 \ue008\ue009\ue010\ue011\ue012", False),
        ("a b c d e f g h i j k l m n o p q r s t", False),
    ],
)
def test_a_text_layer_is_judged_by_its_quality(text: str, good: bool) -> None:
    assert usable(text) is good
