"""A fence around what a model is given as data: text of documents, or notes that were made from it."""

from __future__ import annotations

import re
import secrets

TAGS = re.compile(r"<\s*/?\s*(?:source|passage|note)|<\|", re.IGNORECASE)
LINES = re.compile(
    r"^[ \t]*(?:END OF (?:SOURCES|PASSAGES|NOTES)|(?:SOURCES|PASSAGES|NOTES) \(data|QUESTION\s*:)",
    re.IGNORECASE | re.MULTILINE,
)
# Zero width, direction and tag characters: words in them are read by a model and by no person.
UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def mark() -> str:
    """Unguessable, so that no document can hold the line that closes its own fence."""
    return secrets.token_hex(4)


def as_data(text: str) -> str:
    """`text` without what could pass for a prompt's own lines: its tags, its headings, unseen signs."""
    seen = UNSEEN.sub("", text)
    seen = TAGS.sub(lambda found: found.group().replace("<", "‹"), seen)
    return LINES.sub(lambda found: f"› {found.group()}", seen)


def fenced(tag: str, about: str, text: str, sign: str) -> str:
    """`text` as data between lines that carry `sign`. `about` is the opening tag's trusted attributes."""
    opening = " ".join(part for part in (tag, about, f'mark="{sign}"') if part)
    return f'<{opening}>\n{as_data(text)}\n</{tag} mark="{sign}">'
