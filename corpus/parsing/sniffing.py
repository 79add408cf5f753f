"""The type of a file, told from its bytes; the name only settles what the bytes leave open."""

from __future__ import annotations

import zipfile
from pathlib import Path

from corpus.errors import UnreadableFile

ACCEPTED = ("pdf", "docx", "xlsx", "csv", "html", "md", "txt", "png", "jpg", "tiff", "webp")
MAGIC = (
    (b"%PDF-", "pdf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)
OFFICE = {"word/": "docx", "xl/": "xlsx"}
FOREIGN = (
    (b"\xd0\xcf\x11\xe0", "an old Office file (.doc, .xls or .msg)"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"GIF8", "a GIF picture"),
)


def sniff(path: Path, name: str) -> str:
    """One of ACCEPTED. Raises UnreadableFile that names the type found and the types accepted."""
    with path.open("rb") as handle:
        head = handle.read(65_536)
    if not head.strip():
        raise UnreadableFile(f"{name} is empty.")
    for magic, kind in MAGIC:
        if head.startswith(magic) or (kind == "pdf" and magic in head[:1024]):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if head.startswith(b"PK"):
        return _office(path, name)
    for magic, what in FOREIGN:
        if head.startswith(magic):
            raise _refusal(name, what)
    return _text(head, name)


def _office(path: Path, name: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
    except zipfile.BadZipFile as error:
        raise UnreadableFile(f"{name} is damaged: it cannot be unpacked.") from error
    for prefix, kind in OFFICE.items():
        if any(member.startswith(prefix) for member in members):
            return kind
    raise _refusal(name, "an archive")


def _text(head: bytes, name: str) -> str:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and head.count(b"\x00") > 0:
        raise _refusal(name, "a binary file of a type that is not known")
    controls = sum(byte < 32 and byte not in b"\t\r\n\x0c\x1b" for byte in head)
    if not wide and controls > len(head) * 0.02:
        raise _refusal(name, "a binary file of a type that is not known")
    suffix = Path(name).suffix.lower().lstrip(".")
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:200].lower()
    if suffix in {"html", "htm"} or start.startswith((b"<!doctype html", b"<html")):
        return "html"
    if suffix in {"csv", "tsv", "tab"}:
        return "csv"
    return "md" if suffix in {"md", "markdown"} else "txt"


def _refusal(name: str, what: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} is {what}, which PolyRAG does not read. Accepted: {', '.join(ACCEPTED)}."
    )
