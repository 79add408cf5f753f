from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import parse_file, sniff
from corpus.parsing.worker import read

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import ParsedDocument


def packed(members: list[tuple[str, bytes]]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return held.getvalue()


def parse(folder: Path, data: bytes) -> ParsedDocument:
    path = folder / "pack.zip"
    path.write_bytes(data)
    return read(path, sniff(path, path.name), path.name, {})


def test_the_members_are_listed_and_become_files(tmp_path: Path) -> None:
    members = [("notas.txt", "olá".encode()), ("pasta/ação.csv", b"a;b\n1;2\n"), ("pasta/", b"")]
    parsed = parse(
        tmp_path, packed([*members, ("__MACOSX/._notas.txt", b"x"), (".DS_Store", b"x")])
    )

    assert [(file.name, file.data) for file in parsed.attachments] == members[:2]
    assert parsed.blocks[0].text == "Files in pack.zip:\n- notas.txt\n- pasta/ação.csv"


def test_L3_a_name_that_climbs_out_of_the_folder_is_only_text(tmp_path: Path) -> None:
    data = packed([("../../x.txt", b"fora"), ("/etc/passwd", b"raiz"), ("..\\y.txt", b"janela")])
    parsed = parse(tmp_path, data)

    assert [file.data for file in parsed.attachments] == [b"fora", b"raiz", b"janela"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pack.zip"]
    assert not (tmp_path.parent / "x.txt").exists()


def test_a_bomb_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    parsed = parse(tmp_path, packed([("bomba.txt", b"0" * 60_000_000), ("nota.txt", b"sim")]))

    assert [file.name for file in parsed.attachments] == ["nota.txt"]
    assert "bomba.txt" in parsed.unreadable[0]
    assert "times its size" in parsed.unreadable[0]


def test_a_member_with_a_password_or_damaged_is_named(tmp_path: Path) -> None:
    data = bytearray(packed([("a.txt", b"aaaa" * 50), ("b.txt", b"segredo"), ("c.txt", b"ok")]))
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[at + 8] |= 1  # The mark of encryption, in the list of members.
    data[data.index(b"a.txt") + 6] ^= 0xFF
    parsed = parse(tmp_path, bytes(data))

    assert [file.name for file in parsed.attachments] == ["c.txt"]
    assert "a.txt: it is damaged" in parsed.unreadable[0]
    assert parsed.unreadable[1] == "b.txt: it is protected by a password."


def test_an_archive_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="holds no file"):
        parse(tmp_path, packed([("pasta/", b"")]))


def test_a_cut_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        parse(tmp_path, packed([("a.txt", b"a" * 1000)])[:60])


def test_members_cross_the_process_border(tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    path.write_bytes(packed([("nota.txt", b"sim")]))

    assert parse_file(path, kind="zip", name="pack.zip").attachments[0].data == b"sim"
