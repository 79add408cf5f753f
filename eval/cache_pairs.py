"""Pairs of questions against the answer cache's own decision: false and true hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.language import words
from engines.registry import embedder
from eval.collection import lines_of
from retrieval.cache_near import near as near_of
from retrieval.guard import Decision, decide, signature
from routing.calibration import in_fit_half

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FILES = {"en": "spider_pairs_en_public.jsonl", "pt": "spider_pairs_pt_public.jsonl"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two questions; `label` is 1 for one answer, 0 for two, None where nobody has said."""

    a: str
    b: str
    label: int | None = None


def read(path: Path) -> list[Pair]:
    """The pairs of a file of JSON Lines with a, b and, where known, label. Raises CollectionInvalid."""
    rows = lines_of(path, "a", "b")
    return [Pair(str(row["a"]), str(row["b"]), row.get("label")) for row in rows]


def decisions(pairs: Sequence[Pair], near: float | None = None) -> list[Decision]:
    """The cache's decision for each pair, without a corpus: its vocabulary is empty here.

    `near` is the embedder's own bound when not given.

    Raises EngineError when the embedder cannot be reached. The cosine is that of unit vectors.
    """
    if not pairs:
        return []
    bound = near_of(str(embedder().identity)) if near is None else near
    firsts = embedder().queries([pair.a for pair in pairs])
    seconds = embedder().queries([pair.b for pair in pairs])
    cosines = (firsts * seconds).sum(axis=1)
    return [
        decide(
            signature(pair.a),
            signature(pair.b),
            same_words=words(pair.a) == words(pair.b),
            cosine=float(cosine),
            near=bound,
        )
        for pair, cosine in zip(pairs, cosines, strict=True)
    ]


def rates(pairs: Sequence[Pair], made: Sequence[Decision]) -> dict[str, Any]:
    """Share of hits among pairs of two answers (`false`) and of one answer (`true`), and how many."""
    held: dict[str, Any] = {}
    for name, label in (("false", 0), ("true", 1)):
        hits = [row.hit for pair, row in zip(pairs, made, strict=True) if pair.label == label]
        held |= {name: sum(hits) / len(hits) if hits else None, f"{name}_pairs": len(hits)}
    return held


def figures(folder: Path) -> dict[str, Any]:
    """`cache_false_en` and so on over all pairs; with `_held_out`, over the half never tuned on."""
    found: dict[str, Any] = {}
    for language, name in FILES.items():
        pairs = read(folder / "semantic_cache" / name)
        made = decisions(pairs)
        kept = [n for n, pair in enumerate(pairs) if not in_fit_half(pair.a)]
        halves = {"": range(len(pairs)), "_held_out": kept}
        for suffix, chosen in halves.items():
            share = rates([pairs[n] for n in chosen], [made[n] for n in chosen])
            for key, value in share.items():
                found[f"cache_{key}_{language}{suffix}"] = value
    return found
