"""Bytes to text: byte-order mark, then strict UTF-8, then a detector, then cp1252."""

from __future__ import annotations

import codecs

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes) -> tuple[str, str]:
    """The text and a warning that names the encoding when it was guessed (else empty)."""
    text, encoding, guessed = decode_named(data)
    return text, f"The encoding was guessed: {encoding}." if guessed else ""


def decode_named(data: bytes) -> tuple[str, str, bool]:
    """The text, the name of its encoding, and whether that is a guess."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), encoding, False
    try:
        return data.decode("utf-8"), "utf-8", False
    except UnicodeDecodeError:
        pass
    # Western European exports are the rule here, and a detector mistakes short ones for others.
    try:
        return data.decode("cp1252"), "cp1252", True
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(data).best()
        if best is None:
            return data.decode("latin-1"), "latin-1", True
        return str(best), best.encoding, True
