from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import sniff
from corpus.parsing.worker import read

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import ParsedDocument

PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Os Lusíadas</dc:title></metadata><manifest>
<item id="b" href="dois.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="um%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="falta.xhtml" media-type="application/xhtml+xml"/>
</manifest><spine><itemref idref="a"/><itemref idref="b"/>{more}</spine></package>"""
CONTAINER = '<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>'
HEAD = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><body>'


def parse(folder: Path, name: str, data: bytes) -> ParsedDocument:
    path = folder / name
    path.write_bytes(data)
    return read(path, sniff(path, name), name, {})


def book(more: str = "", extra: tuple[str, ...] = ()) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/p.opf", PACKAGE.format(more=more))
        archive.writestr(
            "OPS/dois.xhtml", f"{HEAD}<h1>Canto II</h1><p>Já neste tempo</p></body></html>"
        )
        archive.writestr(
            "OPS/um a.xhtml", f"{HEAD}<h1>Canto I</h1><p>As armas &x;</p></body></html>"
        )
        for name in extra:
            archive.writestr(name, "x")
    return held.getvalue()


def test_the_chapters_of_a_book_come_in_the_order_of_its_spine(tmp_path: Path) -> None:
    parsed = parse(tmp_path, "a.epub", book())

    assert parsed.title == "Os Lusíadas"
    assert [block.text for block in parsed.blocks if block.kind == "heading"] == [
        "Canto I",
        "Canto II",
    ]
    assert "root:" not in " ".join(block.text for block in parsed.blocks)


def test_a_missing_chapter_is_told(tmp_path: Path) -> None:
    parsed = parse(tmp_path, "a.epub", book('<itemref idref="c"/>'))

    assert parsed.unreadable == ("falta.xhtml: a chapter that is missing or too large.",)


def test_a_book_with_copy_protection_says_so(tmp_path: Path) -> None:
    locked = book(extra=("META-INF/encryption.xml", "META-INF/rights.xml"))

    with pytest.raises(UnreadableFile, match="protected against copying"):
        parse(tmp_path, "a.epub", locked)


def test_rich_text_keeps_paragraphs_tables_and_accents(tmp_path: Path) -> None:
    source = (
        rb"{\rtf1\ansi\ansicpg1252 Reuni\'e3o \u231?edida\par Segunda linha\par"
        rb"\trowd Ano\cell Valor\cell\row\trowd 2024\cell 10\cell\row\pard Fim\par}"
    )
    parsed = parse(tmp_path, "a.rtf", source)

    assert [(block.kind, block.text) for block in parsed.blocks] == [
        ("paragraph", "Reunião çedida"),
        ("paragraph", "Segunda linha"),
        ("table", "Ano | Valor\n2024 | 10"),
        ("paragraph", "Fim"),
    ]
