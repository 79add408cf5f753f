"""Bytes to text: byte-order mark, then UTF-8, then Western European, then a detector."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING, BinaryIO

from corpus.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

# The marks of UTF-32 begin with those of UTF-16 and come first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WESTERN = ("cp1252", "mac_roman", "cp850")
# Taken for others by a detector, and hardly in use.
RARE = ("mac_cyrillic", "mac_greek", "mac_iceland", "mac_latin2", "mac_turkish", "latin_1")
LETTERS = frozenset("àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœßšž")
# Marks that stand inside words, that touch the letter after them, and that do neither.
INSIDE = frozenset("’‘–—·\u00a0")
OPENING = INSIDE | frozenset("«»‹›“”„…•¿¡°")
CLOSING = frozenset("€£¥§©®™ºª½¼¾²³¹±×÷µ")
PIECE, SAMPLE = 1 << 20, 1 << 18
# A file of UTF-8 with a few damaged places is still UTF-8: one in twenty signs at most.
DAMAGED = 20


def decode(data: bytes) -> tuple[str, str]:
    """The text and a warning that names the encoding when it was guessed (else empty)."""
    text, encoding, guessed = decode_named(data)
    return text, f"The encoding was guessed: {encoding}." if guessed else ""


def decode_named(data: bytes) -> tuple[str, str, bool]:
    """The text, the name of its encoding, and whether that is a guess."""
    encoding, guessed = encoding_of(io.BytesIO(data))
    return data.decode(encoding, "replace"), encoding, guessed


def encoding_of(handle: BinaryIO) -> tuple[str, bool]:
    """The encoding of a file and whether it is a guess. Reads it piece by piece, to its end."""
    head = handle.read(SAMPLE)
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding, False
    wide = _wide(head)
    if wide:
        return wide, True
    if _is_utf8(_pieces(handle)):
        return "utf-8", False
    return _guess(_telling(_pieces(handle))), True


def encoding_named(name: str) -> str:
    """The encoding that a person chose. Raises UnreadableFile when there is none of that name."""
    try:
        found = codecs.lookup(name)
        "".encode(found.name).decode(found.name)
    except (LookupError, TypeError, UnicodeError) as error:
        raise UnreadableFile(
            f"There is no encoding “{name}”. Choose for example utf-8, cp1252 or utf-16."
        ) from error
    return found.name


def _pieces(handle: BinaryIO) -> Iterator[bytes]:
    handle.seek(0)
    while piece := handle.read(PIECE):
        yield piece


def _wide(head: bytes) -> str:
    """UTF-16 without its mark: every second byte of Western text is a NUL."""
    pairs = len(head) // 2
    if pairs < 2:
        return ""
    even, odd = head[: pairs * 2 : 2].count(0) / pairs, head[1 : pairs * 2 : 2].count(0) / pairs
    if odd > 0.4 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.1 else ""


def _is_utf8(pieces: Iterator[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in pieces:
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _telling(pieces: Iterator[bytes]) -> bytes:
    """The lines that hold more than ASCII, up to a sample: only they tell encodings apart."""
    found: list[bytes] = []
    size = 0
    for piece in pieces:
        if piece.isascii():
            continue
        for line in piece.splitlines(keepends=True):
            if not line.isascii():
                found.append(line)
                size += len(line)
        if size > SAMPLE:
            break
    return b"".join(found)[: SAMPLE * 2]


def _guess(data: bytes) -> str:
    # Western European exports are the rule here, and a detector mistakes short ones for others.
    text = data.decode("utf-8", "replace")
    damaged, beyond = text.count("\ufffd"), sum(sign > "\x7f" for sign in text)
    if beyond - damaged > damaged * DAMAGED:
        return "utf-8"
    for encoding in WESTERN:
        if _reads_well(data, encoding):
            return encoding
    from charset_normalizer import from_bytes

    best = from_bytes(data, cp_exclusion=[*WESTERN, *RARE]).best()
    return best.encoding if best is not None else "cp1252"


def _reads_well(data: bytes, encoding: str) -> bool:
    """Whether signs beyond ASCII are accented letters within words, or marks that text uses."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return False
    if any("\x80" <= sign <= "\x9f" for sign in text):
        return False
    good = bad = 0
    for before, sign, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if sign <= "\x7f":
            continue
        if sign.lower() in LETTERS:
            # A capital between two small letters is the sign of a wrong table.
            odd = sign.isupper() and before.islower()
            alone = before > "\x7f" and after > "\x7f"
            good, bad = good + (not odd and not alone), bad + (odd or alone)
        else:
            between = before.isalpha() and after.isalpha()
            fits = sign in (INSIDE if between else OPENING)
            fits = fits or (sign in CLOSING and not after.isalpha())
            good, bad = good + fits, bad + (not fits)
    return good > bad * 9
