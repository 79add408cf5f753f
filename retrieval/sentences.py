"""Which sentences of the passages found answer the question. Pure arithmetic over words.

Each sentence scores by the question's words that it holds, weighed by their rarity among the
passages found, by whether it holds the kind of thing that was asked for (a person, a date, a
number), and by where its passage was ranked.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.chunking import sentences as split
from engines.language import fold, stems, words
from retrieval.bridge import stem_bridge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NUMBER = re.compile(r"\d")
DATE = re.compile(
    r"\b(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|(?:1[89]|20)\d\d"
    r"|\d{1,2}\.?º? (?:de )?(?:jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez|feb|apr|may|aug|sep|oct"
    r"|dec)\w*"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december|janeiro"
    r"|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)"
    r"|segunda|terça|quarta|quinta|sexta|monday|tuesday|wednesday|thursday|friday)\b",
    re.IGNORECASE,
)
CAPITAL = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-ZÀ-ÖØ-Þ][\w'’-]+")
NAME = re.compile(
    r"(?<!^)(?<![.?!]\s)\b[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s+(?:d[aeo]s?\s+)?[A-ZÀ-ÖØ-Þ][\w'’-]+)*"
)

RANK_WEIGHT, KIND_WEIGHT, WORD_WEIGHT, NAME_WEIGHT = 0.3, 0.25, 1.0, 0.4
# A sentence far below the best one only dilutes the answer.
LEAST_SHARE = 0.5
LONGEST, LABEL_WORDS = 420, 5


@dataclass(frozen=True, slots=True)
class Quoted:
    """A sentence with the index of its passage and its score."""

    passage: int
    position: int
    text: str
    score: float


@functools.cache
def _data() -> dict[str, dict[str, list[str]]]:
    path = Path(__file__).parent / "data" / "sentences.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def asked_kind(question: str) -> str:
    """What the question asks for: person, date, number, or nothing in particular ("")."""
    padded = f" {' '.join(words(question))} "
    for kind, cues in _data()["kinds"].items():
        if any(f" {fold(cue)} " in padded for cue in cues):
            return kind
    return ""


def best_sentences(
    question: str,
    passages: Sequence[tuple[str, str]],
    *,
    language: str,
    headings: Sequence[str] = (),
    limit: int = 3,
    quotable: int = 4,
    cosines: Mapping[tuple[int, int], float] | None = None,
) -> list[Quoted]:
    """The sentences that answer best, in the order of their passages.

    `passages` are (text, language), best first; only the first `quotable` are quoted, the others say how
    common a word is. `headings[i]` is the heading path of passage i, whose
    words count for each of its sentences at half weight. `cosines` maps (passage, sentence) to the
    cosine with the question where that is known.
    """
    scored = scored_sentences(
        question,
        passages,
        language=language,
        headings=headings,
        quotable=quotable,
        cosines=cosines,
    )
    return _chosen(scored, limit)


def scored_sentences(
    question: str,
    passages: Sequence[tuple[str, str]],
    *,
    language: str,
    headings: Sequence[str] = (),
    quotable: int | None = None,
    cosines: Mapping[tuple[int, int], float] | None = None,
) -> list[Quoted]:
    """Every sentence of the first `quotable` passages (of all where None) with its score, as they stand.

    The arguments are those of `best_sentences`. `text` is cut at `LONGEST` characters.
    """
    wanted = _wanted(question, language)
    kind = asked_kind(question)
    called = set(stems(" ".join(CAPITAL.findall(question)), language))
    names = [group for group in wanted if group & called]
    pieces = [[part[:LONGEST] for part in parts_of(text)] for text, _ in passages]
    held = [
        [frozenset(stems(part, lang)) | frozenset(words(part)) for part in parts]
        for parts, (_, lang) in zip(pieces, passages, strict=True)
    ]
    rarity = _rarity([set().union(*parts) if parts else set() for parts in held])
    above = [
        frozenset(stems(title, passages[i][1])) | frozenset(words(title))
        for i, title in enumerate(headings)
    ]
    total = sum(rarity(group) for group in wanted) or 1.0
    scored: list[Quoted] = []
    for index, parts in enumerate(pieces[:quotable]):
        around = above[index] if index < len(above) else frozenset()
        for position, part in enumerate(parts):
            mine = held[index][position]
            covered = sum(_share(group, mine, around, rarity) for group in wanted) / total
            score = WORD_WEIGHT * covered + RANK_WEIGHT / (1 + index)
            score += KIND_WEIGHT * _has_kind(kind, part, question)
            score += NAME_WEIGHT * _named(names, index, mine, held, around)
            if cosines is not None:
                score += cosines.get((index, position), 0.0)
            scored.append(Quoted(index, position, part, score))
    return scored


def parts_of(text: str) -> list[str]:
    """Sentences of a passage; a line of a list or a table row stands alone."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    parts = [part for line in lines for part in split(line) if any(c.isalnum() for c in part)]
    return [part for part in parts if not _is_label(part)] or parts


def _is_label(part: str) -> bool:
    """A heading or label that stands in the text: few words, no figure, no full stop."""
    return len(part.split()) < LABEL_WORDS and part[-1] not in ".!?…”" and not NUMBER.search(part)


def _wanted(question: str, language: str) -> list[frozenset[str]]:
    """For each content word the stems that would satisfy it, in either language."""
    other = stem_bridge()
    groups = [
        frozenset({stem}) | other.get(stem, frozenset()) for stem in stems(question, language)
    ]
    return list(dict.fromkeys(groups))


def _rarity(passages: list[set[str]]) -> _Rarity:
    return _Rarity(Counter(stem for stems in passages for stem in stems), len(passages))


class _Rarity:
    """ln(1 + n / df) over the passages found, as in inverse document frequency."""

    def __init__(self, counts: Counter[str], size: int) -> None:
        self._counts, self._size = counts, size

    def __call__(self, group: frozenset[str]) -> float:
        seen = max((self._counts.get(stem, 0) for stem in group), default=0)
        return math.log(1 + self._size / (seen + 0.5))


def _share(
    group: frozenset[str], mine: frozenset[str], around: frozenset[str], rarity: _Rarity
) -> float:
    weight = rarity(group)
    if group & mine:
        return weight
    return 0.5 * weight if group & around else 0.0


def _has_kind(kind: str, sentence: str, question: str) -> float:
    """1 when the sentence holds what was asked for and the question itself did not say."""
    if kind == "number":
        known = set(re.findall(r"\d+", question))
        return float(bool(set(re.findall(r"\d+", sentence)) - known))
    if kind == "date":
        return float(bool(DATE.search(sentence)))
    if kind == "person":
        asked = fold(question)
        return float(any(fold(name) not in asked for name in NAME.findall(" " + sentence)))
    return 0.0


def _named(
    names: Sequence[frozenset[str]],
    index: int,
    mine: frozenset[str],
    held: Sequence[Sequence[frozenset[str]]],
    around: frozenset[str],
) -> float:
    """The share of the question's names that the sentence's passage or headings hold."""
    if not names:
        return 0.0
    passage = mine.union(around, *held[index])
    return sum(bool(group & passage) for group in names) / len(names)


def _chosen(scored: list[Quoted], limit: int) -> list[Quoted]:
    """The best, repeated ones left out, in reading order with the best passage first."""
    kept: list[Quoted] = []
    seen: set[str] = set()
    for item in sorted(scored, key=lambda one: -one.score):
        key = fold(item.text)
        if key in seen:
            continue
        if kept and item.score < LEAST_SHARE * kept[0].score:
            break
        seen.add(key)
        kept.append(item)
        if len(kept) == limit:
            break
    if not kept:
        return []
    first = [item.passage for item in kept]
    return sorted(kept, key=lambda item: (first.index(item.passage), item.position))
