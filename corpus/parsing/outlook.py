"""Outlook messages (.msg)."""

from __future__ import annotations

from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from functools import cached_property
from typing import TYPE_CHECKING

from oxmsg import Message
from oxmsg.domain import constants
from oxmsg.properties import Properties

from corpus.errors import UnreadableFile
from corpus.parsing.decoding import decode
from corpus.parsing.letters import HEADERS, Letter, letter_document
from corpus.values import Attachment, ParsedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oxmsg.attachment import Attachment as OutlookAttachment
    from oxmsg.recipient import Recipient
    from oxmsg.storage import Storage

KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
INNER = "__substg1.0_3701000D"
DEPTH = 5


class _Inner(Message):
    """A message inside a message: its list of properties begins eight bytes earlier."""

    @cached_property
    def _properties(self) -> Properties:
        return Properties(self._storage, properties_header_offset=24)


def parse(path: Path, name: str, options: Mapping[str, str]) -> ParsedDocument:
    message = Message.load(str(path))
    letter = _letter(message, 0)
    locked = "multipart/encrypted" in str(message.message_headers.get("Content-Type", ""))
    sealed = "SMIME" in message.message_class and "Signed" not in message.message_class
    if (locked or sealed) and not (letter.plain.strip() or letter.page.strip()):
        raise UnreadableFile(f"{name} is encrypted. Save it decrypted and upload it again.")
    return letter_document(letter, name)


def _letter(message: Message, depth: int) -> Letter:
    letter = Letter(_headers(message), message.body or "", _page(message))
    for attachment in message.attachments:
        _attachment(attachment, letter, depth)
    return letter


def _headers(message: Message) -> dict[str, str]:
    told: dict[str, list[str]] = {}
    for recipient in message.recipients:
        kind = recipient.properties.int_prop_value(constants.PID_RECIPIENT_TYPE) or 1
        told.setdefault(KINDS.get(kind & 0xF, "To"), []).append(_person(recipient))
    sent = message.sent_date
    found = {
        "From": message.sender or "",
        "Date": sent.isoformat(" ", "minutes") if sent else message.message_headers.get("Date", ""),
        "Subject": message.subject,
        **{key: ", ".join(people) for key, people in told.items()},
    }
    return {key: " ".join(found[key].split()) for key in HEADERS if found.get(key)}


def _person(recipient: Recipient) -> str:
    name, address = recipient.name, recipient.email_address
    return f"{name} <{address}>" if name and address and name != address else name or address


def _page(message: Message) -> str:
    """The formatted text; one whose encoding is not what it says is decoded as any other text."""
    try:
        return message.html_body or ""
    except (LookupError, UnicodeDecodeError):
        data = message.properties.binary_prop_value(constants.PID_HTML)
        return decode(data)[0] if data else ""


def _attachment(attachment: OutlookAttachment, letter: Letter, depth: int) -> None:
    properties = attachment.properties
    name = (
        attachment.file_name
        or properties.str_prop_value(constants.PID_ATTACH_FILENAME)
        or properties.str_prop_value(constants.PID_DISPLAY_NAME)
        or "attachment"
    )
    storages: tuple[Storage, ...] = getattr(attachment._storage, "storages", ())
    inner = next((storage for storage in storages if storage.name == INNER), None)
    if inner is not None and depth < DEPTH and "__properties_version1.0" in inner._streams_by_name:
        held = _letter(_Inner(inner), depth + 1)
        letter.attachments.append(
            Attachment(f"{held.headers.get('Subject') or name}.eml", _eml(held))
        )
    elif inner is not None:
        letter.unreadable.append(f"{name}: an object inside the message that cannot be taken out.")
    elif attachment.file_bytes:
        letter.attachments.append(Attachment(name, attachment.file_bytes))
    else:
        letter.unreadable.append(f"{name} is not in the message: only a link to it is.")


def _eml(letter: Letter) -> bytes:
    """A message taken out of a message, as a mail file."""
    mail = MIMEMultipart()
    for key, value in letter.headers.items():
        mail[key] = Header(value, "utf-8").encode()
    text = MIMEMultipart("alternative")
    text.attach(MIMEText(letter.plain, "plain", "utf-8"))
    if letter.page:
        text.attach(MIMEText(letter.page, "html", "utf-8"))
    mail.attach(text)
    for file in letter.attachments:
        part = MIMEApplication(file.data)
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", file.name))
        mail.attach(part)
    return mail.as_bytes()
