"""Why a question is not answered from the passages found. Pure arithmetic, each reason can be said."""

from __future__ import annotations

import functools
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from engines.language import fold, stem, stems, words
from engines.registry import embedder
from retrieval.bridge import stem_bridge
from retrieval.floor import enough, support

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Hit, Known, Part

LOOKED_AT = 4
# A word this long that begins like one of a passage is taken for the same word: another ending, or the
# other language's spelling of it (televisão, television).
LONG, BEGINNING = 6, 5
SAID = 3


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why no answer is given: `names` and `words` are those of the question that nothing readable holds."""

    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@functools.cache
def _fitted() -> dict[str, Any]:
    path = Path(__file__).parent / "data" / "refusal.toml"
    held: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["evidence"]
    return held


def bound() -> float:
    """What contrast and coverage together must reach, for the embedder in force; below 0 for no bound."""
    held = _fitted()["bound"]
    return float(held.get(str(embedder().identity), held["default"]))


def doubt(part: Part) -> Doubt | None:
    """Why the passages of `part` may not be quoted as an answer; None where they may.

    Three things refuse: a name or code that nothing readable holds; a contrast below the floor, or
    none of the names in what was found (`floor.enough`); too little evidence, that is contrast +
    weight x coverage below the bound, where coverage is the share of the question's words, weighed by
    their rarity, that the best passage holds (docs/decisions/0015-refusal.md).
    """
    found = part.retrieved
    text, seen = part.clause.text, found.known
    if seen.names:
        return Doubt(names=seen.names)
    measured = support(text, found.hits)
    if not enough(measured, str(embedder().identity)):
        return Doubt(words=seen.absent)
    if seen.counts:
        covered = coverage(seen, found.hits, part.language)
        if measured.contrast + _fitted()["weight"] * covered < bound():
            return Doubt(words=seen.absent)
    return None


def coverage(seen: Known, hits: Sequence[Hit], language: str) -> float:
    """The largest share of the question's words, in [0, 1], that one of the first passages holds.

    A word weighs ln(1 + (n - df + 0.5) / (df + 0.5)) with n readable passages of which df hold it, the
    idf of BM25 (Robertson, Zaragoza 2009). It counts as held by its stem, by a word of the other
    language, or by one that begins alike; headings and the document's name count as well.
    """
    weights = {word: _rarity(many, seen.total) for word, many in seen.counts}
    total = sum(weights.values())
    shares = [
        sum(weight for word, weight in weights.items() if _held(word, language, held))
        for held in _passages(hits)
    ]
    return max(shares, default=0.0) / total if total else 1.0


def all_held(asked: Sequence[str], hits: Sequence[Hit], language: str) -> bool:
    """Whether one of the first passages holds every word, so that its coverage is 1 whatever they weigh."""
    return any(all(_held(word, language, held) for word in asked) for held in _passages(hits))


def _passages(hits: Sequence[Hit]) -> list[set[str]]:
    """The folded words and stems of each of the first passages, with its headings and document."""
    said = [hit for hit in hits if hit.block != "summary"] or list(hits)
    texts = [(f"{hit.heading_path} {hit.document} {hit.text}", hit) for hit in said[:LOOKED_AT]]
    return [set(stems(text, hit.language)) | set(words(text)) for text, hit in texts]


def _rarity(many: int, total: int) -> float:
    return math.log(1 + (max(total - many, 0) + 0.5) / (many + 0.5))


def _held(word: str, language: str, held: set[str]) -> bool:
    folded, one = fold(word), stem(word, language)
    if ({folded, one} | stem_bridge().get(one, frozenset())) & held:
        return True
    start = folded[:BEGINNING]
    return len(folded) >= LONG and any(other.startswith(start) for other in held)


def said_why(why: Doubt | None) -> str:
    """The sentence that names what nothing readable holds, "" where that is not the reason."""
    if why is None or not (why.names or why.words):
        return ""
    listed = ", ".join(f"“{one}”" for one in (why.names or why.words)[:SAID])
    return _("No passage that was searched holds %(words)s.") % {"words": listed}
