"""Markers for sentences that a model wrote without one: the source whose words they are. Pure arithmetic.

Small models often leave the markers out. A sentence is bound to a source only when that source holds what
the sentence adds to the question: every new number and name, and most of the other new words by weight.
What no source holds so stays without a marker.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.chunking import sentences
from engines.language import fold, stems
from retrieval.bridge import stem_bridge
from retrieval.verify import MARKER, NUMBER, number_bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Citation

# The share of the weight of a sentence's new words that its source must hold.
LEAST_SHARE = 0.6
LEAST_WORDS = 3
CAPITAL = re.compile(r"(?<![.?!:]\s)(?<!^)\b[A-ZÀ-ÖØ-Þ][\w'’-]+")
END = re.compile(r"\s*$")


@dataclass(frozen=True, slots=True)
class _Source:
    n: int
    stems: frozenset[str]
    numbers: frozenset[str]
    folded: str


def markers_bound(
    text: str, question: str, sources: Sequence[Citation], *, language: str
) -> tuple[str, int]:
    """`text` with a marker after each unmarked sentence whose source is found, and how many were added.

    `language` is that of text and question; sources in the other language are read through the bridge of
    stems. Lines and sentences that carry a marker already are left as they are.
    """
    held = [_source(item) for item in sources]
    if not held:
        return text, 0
    weight = _weights(held)
    asked = _Asked(question, language)
    added, lines = 0, []
    for line in text.splitlines():
        if MARKER.search(line) and len(sentences(line)) == 1:
            lines.append(line)
            continue
        pieces = []
        for sentence in sentences(line):
            n = None if MARKER.search(sentence) else _found(sentence, asked, held, weight, language)
            added += n is not None
            pieces.append(sentence if n is None else f"{END.sub('', sentence)} [{n}]")
        start = line[: len(line) - len(line.lstrip())]
        lines.append(start + " ".join(pieces) if pieces else line)
    return ("\n".join(lines), added) if added else (text, 0)


class _Asked:
    """What the question says already."""

    def __init__(self, question: str, language: str) -> None:
        self.stems = frozenset(stems(question, language))
        self.numbers = frozenset(map(number_bare, NUMBER.findall(question)))
        self.folded = fold(question)


def _source(item: Citation) -> _Source:
    text = f"{item.heading_path} {item.text}"
    both = frozenset(stems(text, "pt")) | frozenset(stems(text, "en"))
    return _Source(
        item.n, both, frozenset(map(number_bare, NUMBER.findall(text))), f" {fold(text)} "
    )


def _weights(held: Sequence[_Source]) -> Counter[str]:
    """In how many sources a stem stands."""
    return Counter(stem for source in held for stem in source.stems)


def _found(
    sentence: str,
    asked: _Asked,
    held: Sequence[_Source],
    weight: Counter[str],
    language: str,
) -> int | None:
    if len(sentence.split()) < LEAST_WORDS:
        return None
    numbers = {number_bare(item) for item in NUMBER.findall(sentence)} - asked.numbers
    names = {fold(item) for item in CAPITAL.findall(sentence)}
    new_names = [name for name in names if name not in asked.folded]
    bridge = stem_bridge()
    # Figures are held against each other as numbers, however they are written.
    found = dict.fromkeys(stems(sentence, language))
    said = [stem for stem in found if not any(letter.isdigit() for letter in stem)]
    new = [stem for stem in said if stem not in asked.stems]
    best: tuple[float, int] | None = None
    for source in held:
        if not numbers <= source.numbers or any(name not in source.folded for name in new_names):
            continue
        share = _share(new or said, source, bridge, weight, len(held))
        if share >= LEAST_SHARE:
            rank = share + _share(said, source, bridge, weight, len(held))
            if best is None or rank > best[0]:
                best = rank, source.n
    return best[1] if best else None


def _share(
    wanted: Sequence[str],
    source: _Source,
    bridge: dict[str, frozenset[str]],
    weight: Counter[str],
    count: int,
) -> float:
    """The share by weight that `source` holds; ln(1 + n / df) as in inverse document frequency."""
    total = hit = 0.0
    for stem in wanted:
        group = {stem} | bridge.get(stem, frozenset())
        seen = max(weight[one] for one in group)
        of = math.log(1 + count / (seen + 0.5))
        total += of
        hit += of if group & source.stems else 0.0
    return hit / total if total else 0.0
