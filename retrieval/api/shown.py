"""Runs as JSON, read again under the reader's rights each time, as the pages do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retrieval.shown import answer_text, run_view
from telemetry.narrowing import trace_whole

if TYPE_CHECKING:
    from retrieval.shown import RunView
    from retrieval.values import Hit
    from teams.models import User
    from telemetry.models import Conversation, Trace


def trace_row(trace: Trace) -> dict[str, Any]:
    """What a list tells of a run. The caller has checked that it may be read."""
    return {
        "id": trace.pk,
        "question": trace.question,
        "person": trace.user.get_username(),
        "state": trace.state,
        "route": trace.route,
        "stage": trace.stage,
        "top_score": trace.top_score,
        "margin": trace.margin,
        "cached": trace.cached,
        "tokens_in": trace.tokens_in,
        "tokens_out": trace.tokens_out,
        "cost": None if trace.cost is None else str(trace.cost),
        "duration_ms": trace.duration_ms,
        "started_at": trace.started_at,
    }


def run_shown(trace: Trace, user: User) -> dict[str, Any]:
    """A run with its answer, its sources and how it was decided; withdrawn sources without their words."""
    shown = run_view(trace, user, None)
    return {
        **trace_row(trace),
        "conversation": trace.conversation_id if trace.user_id == user.pk else None,
        "resolved": shown.resolved,
        "state": shown.state,
        "answer": answer_text(shown) or "\n\n".join(part.text for part in shown.writing),
        "sources": [_source(item) for item in shown.citations],
        "unsupported": shown.unsupported,
        "parts": _parts(shown),
        "model": shown.model,
        "error": shown.error,
    }


def trace_shown(trace: Trace, user: User) -> dict[str, Any]:
    whole = trace_whole(trace, user)
    spans = [
        {
            "name": span.name,
            "offset_ms": span.offset_ms,
            "duration_ms": span.duration_ms,
            "failed": span.failed,
            "attributes": span.attributes if whole else {},
        }
        for span in trace.spans.all()
    ]
    return {**run_shown(trace, user), "spans": spans}


def talk_shown(talk: Conversation, questions: int) -> dict[str, Any]:
    return {
        "id": talk.pk,
        "title": talk.title,
        "shared": talk.shared,
        "person": talk.user.get_username(),
        "questions": questions,
        "created_at": talk.created_at,
        "asked_at": talk.asked_at,
    }


def hit_shown(hit: Hit) -> dict[str, Any]:
    return {
        "document": hit.document,
        "document_id": hit.document_id,
        "chunk_id": hit.chunk_id,
        "heading_path": hit.heading_path,
        "page": hit.page,
        "text": hit.text,
        "score": float(hit.score),
    }


def _source(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "n": item["n"],
        "kind": item.get("kind", ""),
        "document": item["document"],
        "document_id": str(item.get("document_id", "")),
        "heading_path": item.get("heading_path", ""),
        "page": item.get("page"),
        "sql": item.get("sql", ""),
        "withdrawn": item["withdrawn"],
    }


def _parts(shown: RunView) -> list[dict[str, Any]]:
    return [
        {
            "position": part.position,
            "text": part.text,
            "route": part.route,
            "stage": part.stage,
            "margin": part.margin,
            "reason": part.reason,
            "store": part.store,
            "note": part.note,
            "scores": [
                {"route": bar.route, "score": bar.score, "anchor": bar.anchor}
                for bar in part.scores
            ],
        }
        for part in shown.parts
    ]
