"""Zip archives: a list of what they hold, and each member as a file of its own, within limits."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.values import Attachment, Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

MEGABYTE = 1024 * 1024
MEMBERS = 2000
MEMBER_BYTES = 200 * MEGABYTE
TOTAL_BYTES = 512 * MEGABYTE
# Text packs about 10 to 1, sheets 50 to 1; small members may do better.
RATIO, RATIO_FROM_BYTES = 200, 10 * MEGABYTE
# What operating systems put beside people's files.
CLUTTER = ("__macosx/", ".ds_store", "thumbs.db", "desktop.ini")


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    files: list[Attachment] = []
    unreadable: list[str] = []
    taken = 0
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not _clutter(member)]
        for number, member in enumerate(members):
            label = _label(member)
            reason = _refused(member, number, taken)
            data = b"" if reason else _read(archive, member)
            if data is None:
                reason = "it is damaged, or packed in a way that is not known"
            if reason or data is None:
                unreadable.append(f"{label}: {reason}.")
                continue
            taken += len(data)
            files.append(Attachment(label, data))
    if not members:
        raise UnreadableFile(f"{name} is an archive that holds no file.")
    listed = "\n".join(f"- {file.name}" for file in files) or "- none that can be read"
    return ParsedDocument(
        title=Path(name).stem,
        blocks=(Block("list", f"Files in {name}:\n{listed}"),),
        attachments=tuple(files),
        unreadable=tuple(unreadable),
    )


def _clutter(member: zipfile.ZipInfo) -> bool:
    name = member.filename.lower()
    return member.is_dir() or name.startswith(CLUTTER[0]) or name.rpartition("/")[2] in CLUTTER


def _label(member: zipfile.ZipInfo) -> str:
    """The member's name. It is only text, whatever `../` it holds: nothing is ever unpacked to it."""
    name = member.filename.replace("\\", "/")
    if not member.flag_bits & 0x800:
        # Without the mark for UTF-8 Python takes the old code page; many programs wrote UTF-8 anyway.
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name


def _refused(member: zipfile.ZipInfo, number: int, taken: int) -> str:
    size = member.file_size
    if number >= MEMBERS:
        return f"only the first {MEMBERS} files are read"
    if member.flag_bits & 1:
        return "it is protected by a password"
    if size > MEMBER_BYTES or taken + size > TOTAL_BYTES:
        return f"it unpacks to {size // MEGABYTE} MB, more than is taken from one archive"
    if size > RATIO_FROM_BYTES and size > RATIO * max(1, member.compress_size):
        return f"it unpacks to {size // max(1, member.compress_size)} times its size"
    return ""


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | None:
    try:
        return archive.read(member)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        return None
