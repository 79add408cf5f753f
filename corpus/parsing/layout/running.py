"""Rows of text to running text: hyphens at the ends of lines taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SOFT = "\u00ad"
HYPHENS = f"-{SOFT}\u2010"
# A word cut at a line's end goes on in small letters.
CUT = re.compile(rf"[^\W\d_]{{2,}}[{HYPHENS}]$")
GOES_ON = re.compile(r"^[^\W\d_]{1,}", re.UNICODE)
WORD = re.compile(rf"[^\W\d_]+(?:{SOFT}[^\W\d_]+)*")
DOUBTFUL = re.compile(rf"([^\W\d_]+){SOFT}([^\W\d_]+)")
SENTENCE_END = re.compile(r"[.!?:;…](?:[\"'”’»)\]]|\s|\d{1,3}$)*$")


def joined(lines: Iterable[str]) -> str:
    """One text of many lines, a word that was cut at a line's end made whole."""
    text = ""
    for line in lines:
        text = glued(text, line)
    return text


def glued(text: str, line: str) -> str:
    """`line` after `text`. A hyphen that a line's end may have brought into a word becomes a soft one:
    `whole` tells later whether it is written."""
    text, line = text.rstrip(), " ".join(line.split())
    if not text or not line:
        return text or line
    first = line[0]
    if CUT.search(text) and GOES_ON.match(line) and first.islower():
        return f"{text[:-1]}{SOFT}{line}"
    if text[-1] in HYPHENS and len(text) > 1 and text[-2].isalnum():
        # "Anti-" / "American", "2024-" / "25": written with a hyphen, and cut there.
        return text.replace(SOFT, "-") + line
    return f"{text} {line}"


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The words of a document in small letters, those with a doubtful hyphen left out."""
    return frozenset(
        word for text in texts for word in WORD.findall(text.lower()) if SOFT not in word
    )


def whole(text: str, known: frozenset[str]) -> str:
    """The text with its doubtful hyphens settled: one stays where the document knows both parts as
    words and not the word that they make together."""
    return DOUBTFUL.sub(lambda match: _settled(match, known), text).replace(SOFT, "")


def _settled(match: re.Match[str], known: frozenset[str]) -> str:
    before, after = match[1], match[2]
    together = (before + after).lower() not in known
    both = before.lower() in known and after.lower() in known
    return f"{before}-{after}" if together and both and len(before) > 2 else before + after


def unfinished(text: str) -> bool:
    """Whether a text breaks off in the middle of a sentence."""
    return bool(text) and SENTENCE_END.search(text) is None
