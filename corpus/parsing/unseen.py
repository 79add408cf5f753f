"""Characters that nobody sees, in the text of any format: a message in tags, signs of no width, turned text.

A model reads them and a person does not. They are told with the document's other notes and taken out of
its passages, so that a word is found though signs were put between its letters. Joiners that a script or
a picture sign needs (U+200C, U+200D) stay; source code stays as it is written.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.parsing.hidden import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.values import Block, ParsedDocument

# A flag of a part of a country is a black flag with tags behind it, which are meant.
FLAG = "\U0001f3f4[\U000e0020-\U000e007e]{2,8}\U000e007f"
TAGS = re.compile(f"({FLAG})|[\U000e0000-\U000e007f]+")
# One between two words is a place to break the line; such signs within a word, or in a row, are not.
WIDTHLESS = "\u200b\u2060-\u2064\ufeff"
JOINED = "\u200c\u200d"
WITHIN = re.compile(rf"\S*(?:\w[{WIDTHLESS}]+\w\S*|[{WIDTHLESS}{JOINED}]{{4,}}\S*)")
TURNED = re.compile("[\u202d\u202e\u2066-\u2068][^\u202c\u2069\n]*")
OUT = re.compile(rf"({FLAG})|[{WIDTHLESS}\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+")
# A script without spaces, or an address, breaks its lines at such signs now and then.
FEW = 3


def unseen_told(document: ParsedDocument) -> ParsedDocument:
    """`document` with a warning for what nobody sees in it, and its passages without those signs."""
    found: dict[str, str] = {}
    for block in document.blocks:
        where = f", page {block.page}" if block.page else ""
        for text, why in _found(block.text):
            found.setdefault(text, f"{why}{where}")
    if not any(OUT.search(block.text) for block in document.blocks):
        return document
    return replace(
        document,
        blocks=tuple(_plain(block) for block in document.blocks),
        warnings=(*document.warnings, *quoted(found)),
    )


def _found(text: str) -> Iterator[tuple[str, str]]:
    tags = "".join(run.group() for run in TAGS.finditer(text) if not run[1])
    message = "".join(chr(ord(sign) - 0xE0000) for sign in tags)
    if message.strip("\x00\x01\x7f "):
        yield " ".join(message.split()), "in invisible characters"
    words = [_bare(run.group()) for run in WITHIN.finditer(text)]
    if len(words) >= FEW:
        yield " ".join(words), "with signs of no width"
    for run in TURNED.finditer(text):
        if _bare(run.group()).strip():
            yield _bare(run.group()), "with its direction turned"


def _plain(block: Block) -> Block:
    return block if block.kind == "code" else replace(block, text=_bare(block.text))


def _bare(text: str) -> str:
    return OUT.sub(lambda run: run[1] or "", text)
