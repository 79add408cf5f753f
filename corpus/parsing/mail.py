"""Mails (.eml): headers, text, attachments, mails inside mails. Several in one file (mbox) become files."""

from __future__ import annotations

import email.policy
import re
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode
from corpus.parsing.letters import HEADERS, Letter, letter_document
from corpus.values import Attachment, Block, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

# What reading a broken header or part has been seen to raise in the standard library.
BROKEN = (MessageError, LookupError, ValueError, AttributeError, TypeError)
SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature"}) | {
    "application/pgp-signature"
}
LOCKED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
NEXT_MAIL = re.compile(rb"(?m)^From \S.*\d{1,2}:\d{2}.*\r?\n")
SMALL_BYTES = 20_000
DEPTH = 40
ENDINGS = {"text/calendar": ".ics", "text/html": ".html", "image/jpeg": ".jpg", "image/png": ".png"}


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    data = _narrow(path.read_bytes()).lstrip(b"\xef\xbb\xbf\r\n")
    starts = [match.start() for match in NEXT_MAIL.finditer(data)] if data[:5] == b"From " else []
    if len(starts) > 1:
        return _several(data, starts, name)
    message = message_from_bytes(data.partition(b"\n")[2] if starts else data)
    letter = Letter({key: told for key in HEADERS if (told := _header(message, key))})
    _part(message, letter, 0)
    if letter.unreadable and not (
        letter.plain.strip() or letter.page.strip() or letter.attachments
    ):
        raise UnreadableFile(f"{name} holds no text that can be read. {letter.unreadable[0]}")
    return letter_document(letter, name)


def _narrow(data: bytes) -> bytes:
    """UTF-16 as UTF-8; any other bytes as they are, since each part of a mail has its own encoding."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data[:200]
    return decode(data)[0].encode("utf-8", "replace") if wide else data


def _several(data: bytes, starts: list[int], name: str) -> ParsedDocument:
    mails = [
        data[a:b].partition(b"\n")[2] for a, b in zip(starts, [*starts[1:], None], strict=True)
    ]
    files = []
    for number, mail in enumerate(mails, start=1):
        subject = _header(message_from_bytes(mail), "Subject") or "mail"
        files.append(Attachment(f"{number} {subject}.eml", mail))
    listed = "\n".join(f"- {file.name}" for file in files)
    return ParsedDocument(
        title=Path(name).stem,
        blocks=(Block("list", f"{len(files)} mails:\n{listed}"),),
        attachments=tuple(files),
    )


def _header(message: Message, key: str) -> str:
    """A header in plain words: encoded words decoded, folded lines joined."""
    told = []
    for raw in message.get_all(key) or []:
        try:
            text = str(make_header(decode_header(raw)))
        except BROKEN:
            text = str(raw)
        # Bytes without a stated encoding stand in surrogates.
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        told.append(" ".join(text.split()))
    return ", ".join(told)


def _part(part: Message, letter: Letter, depth: int) -> None:
    kind = part.get_content_type()
    if depth > DEPTH:
        letter.unreadable.append("Parts of the mail are nested too deep and were left out.")
    elif kind in LOCKED and "signed" not in str(part.get_param("smime-type", "")):
        letter.unreadable.append("It is encrypted. Save it decrypted and upload it again.")
    elif kind in SIGNATURES:
        return
    elif kind == "message/external-body":
        letter.unreadable.append("A part of the mail lies on another server and was not fetched.")
    elif kind == "message/rfc822":
        _inner(part, letter)
    elif part.is_multipart():
        for child in part.get_payload():
            if not isinstance(child, str):
                _part(child, letter, depth + 1)
    else:
        _leaf(part, kind, letter)


def _inner(part: Message, letter: Letter) -> None:
    """A mail inside the mail, as a file."""
    inner = part.get_payload()
    held = inner[0] if isinstance(inner, list) and inner else None
    if held is None or isinstance(held, str):
        return
    subject = _header(held, "Subject") or "mail"
    letter.attachments.append(Attachment(f"{subject}.eml", _bytes(held)))


def _bytes(message: Message) -> bytes:
    try:
        return message.as_bytes(policy=email.policy.compat32)
    except BROKEN:
        return message.as_string(policy=email.policy.compat32).encode("utf-8", "replace")


def _leaf(part: Message, kind: str, letter: Letter) -> None:
    data = part.get_payload(decode=True)
    content = data if isinstance(data, bytes) else b""
    attached = part.get_content_disposition() == "attachment"
    file = _file_name(part)
    if kind == "text/html" and not attached:
        letter.page += _text(part, content)
    elif kind.startswith("text/") and not attached and (not file or kind == "text/plain"):
        letter.plain += _text(part, content) + "\n\n"
    elif not content.strip():
        if file:
            letter.unreadable.append(f"{file} is empty or its encoding is damaged.")
    elif part.get("Content-ID") and kind.startswith("image/") and len(content) < SMALL_BYTES:
        letter.unreadable.append(f"{file or 'A picture'}: a small picture in the text, left out.")
    else:
        ending = ENDINGS.get(kind, "")
        letter.attachments.append(Attachment(file or f"part{ending}", content))


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
        return " ".join(str(make_header(decode_header(name))).split())
    except BROKEN:
        return ""


def _text(part: Message, content: bytes) -> str:
    try:
        return content.decode(str(part.get_content_charset() or ""))
    except (LookupError, UnicodeDecodeError):
        return decode(content)[0]
