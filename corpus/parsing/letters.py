"""A mail as values, from whatever format, and its blocks: who wrote to whom about what, then the text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from corpus.parsing.html import read_html
from corpus.parsing.plain import paragraphs
from corpus.values import Attachment, Block, ParsedDocument

HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
QUOTE = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
WORD = re.compile(r"\w{3,}")
ADDRESS = re.compile(r"\w+://\S+|\S+@\S+")
# Beyond this share of words that the formatted text lacks, the plain text is kept beside it.
APART = 0.3


@dataclass(slots=True)
class Letter:
    """`plain` and `page` (HTML) are the same text twice, or parts that follow each other."""

    headers: dict[str, str]
    plain: str = ""
    page: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def letter_document(letter: Letter, name: str) -> ParsedDocument:
    """Headers as the first paragraph, then the text; attachments stay files of their own."""
    head = [f"{key}: {letter.headers[key]}" for key in HEADERS if letter.headers.get(key)]
    blocks = [Block("paragraph", "\n".join(head))] if head else []
    warnings: list[str] = []
    body: tuple[Block, ...] = ()
    if letter.page.strip():
        _, body, warnings = read_html(letter.page, name)
    if letter.plain.strip() and _says_more(letter.plain, body):
        body = (*paragraphs(QUOTE.sub("", letter.plain).replace("\x00", " ")), *body)
    blocks += body
    if letter.attachments:
        names = "\n".join(f"- {attachment.name}" for attachment in letter.attachments)
        blocks.append(Block("list", f"Attachments:\n{names}"))
    return ParsedDocument(
        title=letter.headers.get("Subject") or Path(name).stem,
        blocks=tuple(blocks),
        warnings=tuple(warnings),
        unreadable=tuple(letter.unreadable),
        attachments=tuple(letter.attachments),
    )


def _says_more(plain: str, body: tuple[Block, ...]) -> bool:
    words = set(WORD.findall(ADDRESS.sub(" ", plain.casefold())))
    told = set(WORD.findall(" ".join(block.text for block in body).casefold()))
    return len(words - told) > len(words) * APART or not told
