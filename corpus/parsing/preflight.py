"""What is checked before a library sees a file: sizes, counts and traps that cost little to find."""

from __future__ import annotations

import re
import struct
import zipfile
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.sniffing import DIRECTORY_BYTES, directory_bytes

if TYPE_CHECKING:
    from pathlib import Path

MEGABYTE = 1024 * 1024
MEMBERS = 20_000
UNPACKED_BYTES = 1024 * MEGABYTE
# Sheets of repeated cells pack 50 to 1; past this a file was made to unpack to a great size.
RATIO, RATIO_FROM_BYTES = 200, 100 * MEGABYTE
PDF_PAGES = 2000
PIXELS = 100_000_000
ENTITY = re.compile(rb"<!ENTITY|<\x00!\x00E\x00N\x00T\x00I\x00T\x00Y")
OFFICE = frozenset({"docx", "pptx", "xlsx", "odt", "odp", "ods"})
PACKED = OFFICE | {"epub", "zip"}
COMPOUND = frozenset({"doc", "xls", "ppt", "msg"})
PICTURES = frozenset({"png", "jpg", "tiff", "webp", "gif", "bmp"})


def preflight(path: Path, kind: str, name: str) -> None:
    """Raises UnreadableFile when reading the file would take too much, or needs a password."""
    if kind in PACKED:
        _packed(path, kind, name)
    elif kind in COMPOUND:
        _compound(path, name)
    elif kind == "pdf":
        _pdf(path, name)
    elif kind in PICTURES:
        _picture(path, name)


def _packed(path: Path, kind: str, name: str) -> None:
    if directory_bytes(path) > DIRECTORY_BYTES:
        raise UnreadableFile(f"{name} holds far too many members and is refused.")
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MEMBERS:
                raise UnreadableFile(
                    f"{name} holds {len(members)} members; at most {MEMBERS} are read."
                )
            _unpacked(members, kind, name)
            if kind in OFFICE:
                _office(archive, members, name)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise UnreadableFile(
            f"{name} is damaged: it cannot be unpacked. Save or pack it again."
        ) from error


def _unpacked(members: list[zipfile.ZipInfo], kind: str, name: str) -> None:
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members) or 1
    bomb = total > RATIO_FROM_BYTES and total / packed > RATIO
    # Members of a zip and sheets of a workbook are taken one by one, within limits of their own.
    if kind not in {"zip", "xlsx"} and (bomb or total > UNPACKED_BYTES):
        raise UnreadableFile(
            f"{name} unpacks to {total // MEGABYTE} MB, {total // packed} times its size, and is"
            " refused. Split it into smaller files."
        )


def _office(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> None:
    """No password, and no XML that declares entities: no Office program writes them, bombs do."""
    for member in members:
        if member.flag_bits & 1 and not member.is_dir():
            raise UnreadableFile(
                f"{name} is protected by a password. Remove the password and upload it again."
            )
        if member.filename.endswith((".xml", ".rels", ".vml")):
            with archive.open(member) as part:
                head = part.read(16_384)
            if ENTITY.search(head):
                raise UnreadableFile(
                    f"{name} declares XML entities, as no Office program does, and is refused."
                    " Save it again in its program."
                )


def _compound(path: Path, name: str) -> None:
    """Every stream is as long as its entry says: libraries read a cut file's beginning in silence."""
    import olefile

    try:
        with olefile.OleFileIO(str(path)) as compound:
            whole = all(
                len(compound.openstream(entry).read()) == compound.get_size(entry)
                for entry in compound.listdir()
            )
    except (OSError, ValueError, LookupError, TypeError, struct.error) as error:
        raise UnreadableFile(f"{name} is damaged: a part of it cannot be read.") from error
    if not whole:
        raise UnreadableFile(f"{name} is damaged: its end is missing. Copy or save it again.")


def _pdf(path: Path, name: str) -> None:
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableFile(
                f"{name} is protected by a password. Remove the password and upload it again."
            ) from error
        raise UnreadableFile(
            f"{name} is damaged and cannot be opened as a PDF. Export it again."
        ) from error
    pages = len(document)
    document.close()
    if pages > PDF_PAGES:
        raise UnreadableFile(
            f"{name} has {pages} pages; at most {PDF_PAGES} are read. Split it into smaller files."
        )


def _picture(path: Path, name: str) -> None:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # Ours is the limit; Pillow would warn or raise of its own.
    try:
        with Image.open(path) as picture:
            width, height = picture.size
    except (OSError, ValueError, SyntaxError) as error:
        raise UnreadableFile(
            f"{name} is a damaged picture and cannot be opened. Save it again."
        ) from error
    if width * height > PIXELS:
        raise UnreadableFile(
            f"{name} is {width} × {height} pixels; at most {PIXELS // 1_000_000} megapixels are"
            " read. Make it smaller."
        )
