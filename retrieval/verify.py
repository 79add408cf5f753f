"""Whether an answer holds: its markers, its numbers and names, its language. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engines.language import detect, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.values import Citation

MARKER = re.compile(r"\s?\[(\d{1,3})\]")
NUMBER = re.compile(r"\d+(?:[.,  ]\d+)*")
NAME = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w'’-]{2,}(?:\s+(?:d[aeo]s?\s+|of\s+)?[A-ZÀ-ÖØ-Þ][\w'’-]+)+")


def markers_known(text: str, known: Iterable[int]) -> tuple[str, int]:
    """The text without markers that no source carries, and how many were dropped."""
    held, dropped = set(known), 0

    def keep(match: re.Match[str]) -> str:
        nonlocal dropped
        if int(match.group(1)) in held:
            return match.group(0)
        dropped += 1
        return ""

    return MARKER.sub(keep, text), dropped


def cited(text: str) -> list[int]:
    """Numbers of the markers in the order of their first use."""
    return list(dict.fromkeys(int(number) for number in MARKER.findall(text)))


def unsupported(text: str, citations: Sequence[Citation], question: str = "") -> tuple[str, ...]:
    """Numbers and names of the answer that stand in none of the sources, nor in the question."""
    ground = " ".join([question, *(f"{c.text} {c.document} {c.heading_path}" for c in citations)])
    digits = {number_bare(number) for number in NUMBER.findall(ground)}
    folded = fold(ground)
    bare = MARKER.sub("", text)
    numbers = [item for item in NUMBER.findall(bare) if number_bare(item) not in digits]
    names = [item for item in _names(bare) if fold(item) not in folded]
    return tuple(dict.fromkeys((*numbers, *names)))


def _names(text: str) -> list[str]:
    """Names of several words. The first word of a sentence is capital anyway and is left out."""
    found = []
    for match in NAME.finditer(text):
        before = text[: match.start()].rstrip(' \n\t“"«(')
        starts = not before or before[-1] in ".?!:"
        found.append(match.group().split(maxsplit=1)[1] if starts else match.group())
    return found


def number_bare(number: str) -> str:
    """A number without separators of thousands or decimals and without trailing zeros of decimals."""
    digits = re.sub(r"\D", "", number)
    return digits.rstrip("0") or "0" if re.search(r"[.,]\d{1,2}$", number) else digits


def language_differs(text: str, wanted: str) -> bool:
    """Whether an answer long enough to tell is in another language than `wanted`."""
    bare = MARKER.sub("", text)
    return len(bare.split()) >= 6 and detect(bare, wanted) != wanted
