"""The first hits of the fused order, put in the order of the reranker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from engines.errors import EngineError
from engines.registry import reranker
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Hit


@dataclass(frozen=True, slots=True)
class Reranking:
    """`min_score` is on the model's own scale; None keeps all. `min_keep` hits stay whatever they score."""

    top_k: int = 30
    min_score: float | None = None
    min_keep: int = 3


@dataclass(frozen=True, slots=True)
class Reranked:
    """`hits` in the order to be used. `note` says why the reranker had no part in it.

    `done` is the event's content: model, how many were scored and left out, and each one's rank before
    and after; None when nothing was reranked.
    """

    hits: tuple[Hit, ...]
    note: str = ""
    done: dict[str, Any] | None = None


def reranking_in_force() -> Reranking:
    return Reranking(**settings.RERANKING)


def wanted(rerank: bool | None) -> bool:
    """Whether to rerank: as the request says, else whenever a reranker is set."""
    return rerank is not False and reranker() is not None


def reranked(
    question: str,
    hits: Sequence[Hit],
    *,
    language: str,
    rerank: bool | None = None,
    rule: Reranking | None = None,
) -> Reranked:
    """The hits with the first `top_k` in the reranker's order, best first; equals keep their order.

    A reranker that fails costs no question: the fused order stays and the note says so.
    """
    engine, before = reranker(), tuple(hits)
    if rerank is False or not before:
        return Reranked(before)
    if engine is None:
        return Reranked(before, note=_unset(language) if rerank else "")
    rule = rule or reranking_in_force()
    pool = before[: rule.top_k]
    with span(SpanName.RERANK, hits=len(pool)) as current:
        try:
            scores = engine.scores(question, [_shown(hit) for hit in pool])
        except EngineError as error:
            current.set(failed=str(error))
            return Reranked(before, note=_down(language))
        order = sorted(range(len(pool)), key=lambda place: -scores[place])
        kept = [
            place
            for rank, place in enumerate(order)
            if rank < rule.min_keep or rule.min_score is None or scores[place] >= rule.min_score
        ]
        current.set(kept=len(kept))
    moved = tuple(
        replace(pool[place], ranks={**pool[place].ranks, "fused": place + 1, "rerank": rank})
        for rank, place in enumerate(kept, start=1)
    )
    done = {
        "model": engine.model,
        "scored": len(pool),
        "left_out": len(pool) - len(kept),
        "ranks": [
            {
                "chunk_id": pool[place].chunk_id,
                "before": place + 1,
                "after": rank,
                "score": scores[place],
            }
            for rank, place in enumerate(kept, start=1)
        ],
    }
    # What was not scored stays behind what was, and goes where a least score is asked for.
    rest = before[rule.top_k :] if rule.min_score is None else ()
    return Reranked((*moved, *rest), done=done)


def _shown(hit: Hit) -> str:
    return f"{hit.heading_path}\n{hit.text}" if hit.heading_path else hit.text


def _down(language: str) -> str:
    with translation.override("pt" if language == "pt" else "en"):
        return _("The reranker did not answer; the order is that of the search.")


def _unset(language: str) -> str:
    with translation.override("pt" if language == "pt" else "en"):
        return _("No reranker is set; the order is that of the search.")
