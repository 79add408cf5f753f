"""Figures of a question set. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from engines.language import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eval.questions import Evidence

SEPARATOR = re.compile(r"(?<=\d)[\s  ](?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True)
class Source:
    """A source found, in rank order: a table's document has no text, a passage has."""

    document: str
    text: str | None


def ranks(sources: Sequence[Source], evidence: Iterable[Evidence]) -> list[int | None]:
    """For each piece of evidence the rank of the first source that holds it, from 1."""
    return [
        next((rank for rank, source in enumerate(sources, 1) if _holds(source, item)), None)
        for item in evidence
    ]


def _holds(source: Source, item: Evidence) -> bool:
    if source.document != item.document:
        return False
    return source.text is None or item.tabular or fold(item.contains) in fold(source.text)


def recall_at(found: Sequence[int | None], k: int) -> float:
    """The share of the evidence that stands among the first k sources."""
    return fmean(rank is not None and rank <= k for rank in found) if found else 0.0


def reciprocal(found: Sequence[int | None]) -> float:
    """1 / rank of the first evidence, 0 without any (mean reciprocal rank when averaged)."""
    best = min((rank for rank in found if rank is not None), default=0)
    return 1 / best if best else 0.0


def facts_stand(text: str, facts: Iterable[Sequence[str]]) -> bool:
    """Whether each fact stands in the text in one of its spellings, as a whole word or number."""
    folded = SEPARATOR.sub("", fold(text))
    return all(any(_stands(folded, fold(spelling)) for spelling in fact) for fact in facts)


def _stands(folded: str, spelling: str) -> bool:
    wanted = re.escape(SEPARATOR.sub("", spelling))
    return bool(re.search(rf"(?<![\w])(?<!\d[.,]){wanted}(?![.,]?\d)(?!\w)", folded))


def mean(values: Iterable[float]) -> float | None:
    """The mean to four decimals; None of nothing, so that an empty set is never a figure."""
    held = list(values)
    return round(fmean(held), 4) if held else None
