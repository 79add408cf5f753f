from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import ACCEPTED, sniff
from corpus.parsing.registry import PARSERS
from tests.corpus.compound import Tree, compound, message


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / Path(name).name
    path.write_bytes(data)
    return path


def packed(members: dict[str, str]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return held.getvalue()


MAIL = b"From: a@b.pt\nTo: c@d.pt\nSubject: Ol\xc3\xa1\n\nCorpo\n"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.bin", b"%PDF-1.7 ...", "pdf"),
        ("photo.txt", b"\x89PNG\r\n\x1a\n....", "png"),
        ("photo", b"GIF89a....", "gif"),
        ("scan", b"BM" + b"\0" * 12 + b"\x28\0\0\0" + b"\0" * 20, "bmp"),
        ("page", b"<!DOCTYPE html><html></html>", "html"),
        ("old export.xls", b"<html><body><table><tr><td>1</td></tr></table></body></html>", "html"),
        ("list.csv", b"a;b\n1;2\n", "csv"),
        ("list", b"a;b\n1;2\n3;4\n", "csv"),
        ("notes.md", b"# Notes", "md"),
        ("notes.md", b"<p align=center>Logo</p>\n# Notes", "md"),
        ("guide.rst", b"Title\n=====\n", "rst"),
        ("guide.asciidoc", b"= Title\n", "adoc"),
        ("letter.doc", b"{\\rtf1\\ansi Ol\\'e1}", "rtf"),
        ("notes", "só texto".encode("cp1252"), "txt"),
        ("wide.txt", "texto".encode("utf-16"), "txt"),
        ("unmarked.txt", "texto sem marca".encode("utf-16-le"), "txt"),
        ("data.json", b'{"a": 1}', "txt"),
        ("mail.txt", MAIL, "eml"),
        ("wide.eml", MAIL.decode().encode("utf-16"), "eml"),
        ("main.py", b"import os\n", "code"),
        ("query.SQL", b"select 1;\n", "code"),
        ("index.php", b"<!DOCTYPE html>\n<?php echo 1 ?>\n", "code"),
    ],
)
def test_the_type_is_told_from_the_bytes(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    assert sniff(write(tmp_path, name, data), name) == kind


def test_a_zip_is_told_by_what_it_holds(tmp_path: Path) -> None:
    types = {"[Content_Types].xml": "<Types/>"}
    odf = "application/vnd.oasis.opendocument."
    cases = {
        "docx": types | {"word/document.xml": ""},
        "pptx": types | {"ppt/presentation.xml": ""},
        "xlsx": types | {"xl/workbook.xml": ""},
        "odt": {"mimetype": odf + "text"},
        "ods": {"mimetype": odf + "spreadsheet"},
        "odp": {"mimetype": odf + "presentation"},
        "epub": {"mimetype": "application/epub+zip"},
        # A folder that happens to have such a name makes no Office file.
        "zip": {"word/notes.txt": "", "readme.txt": ""},
    }
    for kind, members in cases.items():
        assert sniff(write(tmp_path, "x.zip", packed(members)), "x.zip") == kind


def test_an_old_office_file_is_told_by_its_streams(tmp_path: Path) -> None:
    cases: dict[str, Tree] = {
        "doc": {"WordDocument": b"x"},
        "xls": {"Workbook": b"x"},
        "ppt": {"PowerPoint Document": b"x"},
        "msg": message({0x37: "Assunto"}),
    }
    for kind, tree in cases.items():
        assert sniff(write(tmp_path, "x.bin", compound(tree)), "x.bin") == kind


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"  \n ", "is empty"),
        (b"\xff\xfe", "is empty"),
        (b"MZ\x90\x00", "a Windows program"),
        (b"\x00\x01\x02binary", "binary file"),
        (bytes(range(256)) * 20, "binary file"),
        (b"PK\x03\x04broken", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1cut", "damaged"),
        (b"\x00\x00\x00\x18ftypheic....", "HEIC"),
        (b"\x1f\x8b\x08....", "gzip"),
        (compound({"EncryptedPackage": b"x", "EncryptionInfo": b"y"}), "password"),
        (compound({"VisioDocument": b"x"}), "neither text"),
        (packed({"mimetype": "application/vnd.oasis.opendocument.graphics"}), "drawing"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        sniff(write(tmp_path, "x.bin", data), "x.bin")


def test_prose_with_commas_or_colons_is_neither_a_table_nor_a_mail(tmp_path: Path) -> None:
    prose = (
        "Nota: o prazo, em regra, é de 30 dias.\nAviso: leia, por favor, tudo.\nFim: sim, e já.\n"
    )

    assert sniff(write(tmp_path, "aviso", prose.encode()), "aviso") == "txt"


def test_a_zip_that_lists_members_without_end_is_refused_before_the_list_is_read(
    tmp_path: Path,
) -> None:
    small = packed({"a": "b"})
    end = small.rindex(b"PK\x05\x06")
    forged = small[: end + 12] + (400_000_000).to_bytes(4, "little") + small[end + 16 :]

    with pytest.raises(UnreadableFile, match="too many members"):
        sniff(write(tmp_path, "x.zip", forged), "x.zip")


def test_every_accepted_type_has_a_parser() -> None:
    assert set(ACCEPTED) == set(PARSERS)
