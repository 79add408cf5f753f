from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import sniff
from corpus.parsing.worker import read
from tests.corpus.compound import compound, message

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import ParsedDocument


def parse(folder: Path, data: bytes, name: str = "mail.eml") -> ParsedDocument:
    path = folder / name
    path.write_bytes(data)
    return read(path, sniff(path, name), name, {})


def mail(**headers: str) -> EmailMessage:
    made = EmailMessage()
    for key, value in {"From": "Ana <ana@x.pt>", "To": "rui@x.pt", "Subject": "Orçamento"}.items():
        made[key] = headers.get(key, value)
    return made


def test_a_mail_begins_with_who_wrote_to_whom_about_what(tmp_path: Path) -> None:
    made = mail()
    made["Date"] = "Mon, 03 Mar 2025 10:00:00 +0000"
    made.set_content("Bom dia,\n\nsegue o orçamento.\n")
    parsed = parse(tmp_path, made.as_bytes())

    assert parsed.title == "Orçamento"
    assert [block.text for block in parsed.blocks] == [
        "From: Ana <ana@x.pt>\nTo: rui@x.pt\nDate: Mon, 03 Mar 2025 10:00:00 +0000\nSubject: Orçamento",
        "Bom dia,",
        "segue o orçamento.",
    ]


def test_of_two_forms_of_the_same_text_one_is_kept_and_its_tables_too(tmp_path: Path) -> None:
    made = mail()
    made.set_content("Preço final: 120 euros, ver https://exemplo.pt/um/dois/tres\n")
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    page = f"<p>Preço final: 120 euros</p>{table}"
    made.add_alternative(page, subtype="html")
    parsed = parse(tmp_path, made.as_bytes())

    assert [block.kind for block in parsed.blocks] == ["paragraph", "paragraph", "table"]
    assert parsed.blocks[2].grid == (("a", "b"), ("1", "2"))


def test_two_forms_that_say_different_things_are_both_kept(tmp_path: Path) -> None:
    made = mail()
    made.set_content("O contrato termina em dezembro e renova sozinho.\n")
    made.add_alternative("<p>Abra no navegador</p>", subtype="html")
    text = " ".join(block.text for block in parse(tmp_path, made.as_bytes()).blocks)

    assert "termina em dezembro" in text
    assert "Abra no navegador" in text


def test_attachments_and_mails_inside_become_files_of_their_own(tmp_path: Path) -> None:
    inner = mail(Subject="Dentro")
    inner.set_content("Texto de dentro")
    made = mail()
    made.set_content("Veja.")
    made.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="preços.csv")
    made.add_attachment(inner)
    parsed = parse(tmp_path, made.as_bytes())

    assert [file.name for file in parsed.attachments] == ["preços.csv", "Dentro.eml"]
    assert parsed.attachments[0].data == b"a;b\n1;2\n"
    assert parse(tmp_path, parsed.attachments[1].data).blocks[1].text == "Texto de dentro"
    assert parsed.blocks[-1].text == "Attachments:\n- preços.csv\n- Dentro.eml"


def test_small_pictures_in_the_text_are_told_as_left_out(tmp_path: Path) -> None:
    made = mail()
    made.set_content("<p>Olá <img src='cid:logo'></p>", subtype="html")
    made.add_related(
        b"\x89PNG....", maintype="image", subtype="png", cid="<logo>", filename="l.png"
    )
    parsed = parse(tmp_path, made.as_bytes())

    assert not parsed.attachments
    assert parsed.unreadable == ("l.png: a small picture in the text, left out.",)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_a_mail_without_stated_encoding_is_read_in_the_one_it_has(
    tmp_path: Path, encoding: str
) -> None:
    plain = "From: ana@x.pt\nTo: rui@x.pt\nSubject: Aviso\n\nReunião às três.\n"
    text = " ".join(block.text for block in parse(tmp_path, plain.encode(encoding)).blocks)

    assert "Reunião às três." in text


def test_broken_headers_and_parts_do_not_stop_the_reading(tmp_path: Path) -> None:
    broken = (
        b"From: =?utf-8?q?=ZZ?= <\nTo: ,,,;\nSubject: =?nope?b?####?=\nDate: not a date\n"
        b"Content-Type: text/plain; charset=no-such-charset\n\nTexto que se l\xc3\xaa.\n"
    )

    assert parse(tmp_path, broken).blocks[-1].text == "Texto que se lê."


def test_an_encrypted_mail_says_so(tmp_path: Path) -> None:
    locked = (
        b"From: a@x.pt\nTo: b@x.pt\nSubject: x\nContent-Type: multipart/encrypted; boundary=q\n\n"
        b"--q\nContent-Type: application/octet-stream\n\nabc\n--q--\n"
    )

    with pytest.raises(UnreadableFile, match="encrypted"):
        parse(tmp_path, locked)


def test_parts_nested_without_end_are_cut_off_and_told(tmp_path: Path) -> None:
    made = b"From: a@x.pt\nTo: b@x.pt\nSubject: x\n"
    for depth in range(80):
        made += f'Content-Type: multipart/mixed; boundary="b{depth}"\n\n--b{depth}\n'.encode()

    with pytest.raises(UnreadableFile, match="nested too deep"):
        parse(tmp_path, made + b"\nfim\n")


def test_a_mailbox_becomes_one_file_for_each_mail(tmp_path: Path) -> None:
    one = "From ana@x.pt Mon Mar  3 10:00:00 2025\nFrom: ana@x.pt\nTo: b@x.pt\nSubject: {}\n\nTexto {}\n\n"
    parsed = parse(tmp_path, (one.format("um", 1) + one.format("dois", 2)).encode(), "box.mbox")

    assert [file.name for file in parsed.attachments] == ["1 um.eml", "2 dois.eml"]
    assert parse(tmp_path, parsed.attachments[1].data).blocks[1].text == "Texto 2"


def test_an_outlook_message_is_read_with_what_is_inside_it(tmp_path: Path) -> None:
    inside = message({0x37: "Dentro", 0x1000: "Texto de dentro", 0x0C1A: "Rui"}, top=False)
    tree = message(
        {0x37: "Orçamento", 0x1000: "Segue o orçamento.", 0x0C1A: "Ana", 0x0C1F: "ana@x.pt"},
        attachments=[("preços.csv", b"a;b\n1;2\n")],
        inner=inside,
    )
    parsed = parse(tmp_path, compound(tree), "mail.msg")

    assert parsed.title == "Orçamento"
    assert parsed.blocks[0].text == 'From: "Ana" <ana@x.pt>\nSubject: Orçamento'
    assert parsed.blocks[1].text == "Segue o orçamento."
    assert [file.name for file in parsed.attachments] == ["preços.csv", "Dentro.eml"]
    nested = parse(tmp_path, parsed.attachments[1].data)
    assert nested.title == "Dentro"
    assert nested.blocks[1].text == "Texto de dentro"


def test_an_encrypted_outlook_message_says_so(tmp_path: Path) -> None:
    tree = message({0x1A: "IPM.Note.SMIME", 0x37: "x"}, attachments=[("smime.p7m", b"0\x80\x06")])

    with pytest.raises(UnreadableFile, match="encrypted"):
        parse(tmp_path, compound(tree), "mail.msg")


def test_a_cut_outlook_message_says_so(tmp_path: Path) -> None:
    whole = compound(message({0x37: "Assunto", 0x1000: "texto " * 2000}))

    with pytest.raises(UnreadableFile, match="damaged"):
        parse(tmp_path, whole[: len(whole) // 2], "mail.msg")
