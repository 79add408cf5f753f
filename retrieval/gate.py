"""Messages that ask nothing of the documents are answered by fixed sentences, without a search."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.language import fold, words

STAGE = "gate"
LANGUAGES = ("en", "pt", "es", "fr")
# What is asked of the product is answered before a greeting is returned.
KINDS = ("upload", "files", "product", "thanks", "bye", "greeting", "small")
REST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Gated:
    """`reply` to the whole message, in `language`; or, without one, the `question` to ask."""

    question: str
    reply: str = ""
    kind: str = ""
    language: str = ""


@functools.cache
def _data() -> dict[str, dict[str, Any]]:
    path = Path(__file__).parent / "data" / "gate.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def _phrases() -> dict[str, tuple[str, str]]:
    """Kind and language of every phrase. One that two languages share is the first one's."""
    held: dict[str, tuple[str, str]] = {}
    for language in LANGUAGES:
        for kind in KINDS:
            for phrase in _data()[language][kind]:
                held.setdefault(phrase, (kind, language))
    return held


@functools.cache
def _greeting() -> re.Pattern[str]:
    said = [phrase for phrase, (kind, _) in _phrases().items() if kind == "greeting"]
    longest = "|".join(re.escape(phrase) for phrase in sorted(said, key=len, reverse=True))
    # Only before a sign: "Hi Tech sales" and "Viva Porto" are names.
    return re.compile(rf"\s*(?:{longest})\s*[,.!;:–—-]+\s*(?=\S)")


def gate(message: str) -> Gated:
    """What is left to ask of `message`, or the reply where nothing but courtesy or help is in it."""
    found = _whole(words(message))
    if found:
        kind, language = min(found, key=lambda item: KINDS.index(item[0]))
        return Gated(message, _data()[language]["reply"][kind], kind, language)
    # Folding may change the length, so a message where it does keeps its greeting.
    folded = message.casefold()
    plain = "".join(fold(sign)[:1] or sign for sign in folded)
    if len(plain) == len(message) and (greeted := _greeting().match(plain)):
        rest = message[greeted.end() :]
        if len(words(rest)) >= REST_WORDS:
            return Gated(rest)
    return Gated(message)


def _whole(said: list[str]) -> list[tuple[str, str]]:
    """The phrases that make up all of `said`, longest first; none when a word is left over."""
    held, at = _phrases(), 0
    found: list[tuple[str, str]] = []
    while at < len(said):
        for end in range(len(said), at, -1):
            phrase = " ".join(said[at:end])
            if phrase in held:
                found.append(held[phrase])
                at = end
                break
        else:
            return []
    return found
