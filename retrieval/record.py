"""Parts and answers as the JSON that traces, events and the cache keep.

No text of a passage is kept: a source is named by its keys and read again under the reader's rights,
so that a withdrawn document leaves no text behind in a trace.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrieval.values import Answer, Citation, Part, Retrieved, TableResult
    from routing.values import Clause, Decision

ROWS_KEPT = 50


def decision_json(clause: Clause, decision: Decision) -> dict[str, Any]:
    """One element of `Trace.parts`, before anything was retrieved."""
    return {
        "position": clause.position,
        "said": clause.said,
        "text": clause.text,
        "route": decision.route,
        "stage": decision.stage,
        "margin": decision.margin,
        "reason": decision.reason,
        "revision": decision.revision,
        "scores": [
            {
                "route": item.route,
                "score": item.score,
                "cosine": item.cosine,
                "anchor": item.anchor,
            }
            for item in decision.scores
        ],
        "evidence": [
            {"route": item.route, "score": item.score, "terms": list(item.terms)}
            for item in decision.evidence
        ],
    }


def part_json(part: Part) -> dict[str, Any]:
    found = part.retrieved
    return {
        **decision_json(part.clause, part.decision),
        "store": found.store,
        "note": found.note,
        "hits": hits_json(found),
        "table": None if found.table is None else table_json(found.table),
        "facts": facts_json(found),
        "rerank": found.rerank,
        "retry": found.retry,
        "refused_sql": found.refused_sql,
    }


def hits_json(found: Retrieved) -> list[dict[str, Any]]:
    return [
        {
            "chunk_id": hit.chunk_id,
            "document_id": hit.document_id,
            "document": hit.document,
            "heading_path": hit.heading_path,
            "page": hit.page,
            "label": hit.label,
            "until": hit.until,
            "score": hit.score,
            "cosine": hit.cosine,
            "ranks": hit.ranks,
            "copies": [asdict(copy) for copy in hit.copies],
        }
        for hit in found.hits
    ]


def facts_json(found: Retrieved) -> list[dict[str, Any]]:
    return [
        {
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "chunk_id": fact.chunk_id,
        }
        for fact in found.facts
    ]


def table_json(table: TableResult) -> dict[str, Any]:
    return {
        "sql": table.sql,
        "origin": table.origin,
        "plan": table.plan,
        "columns": list(table.columns),
        "rows": [[_plain(cell) for cell in row] for row in table.rows[:ROWS_KEPT]],
        "sentence": table.sentence,
        "title": table.table_title,
        "document_id": table.document_id,
        "version_id": table.version_id,
        "document": table.document,
        "truncated": table.truncated,
        "values": list(table.values),
        "scale": table.scale,
        "others": [asdict(other) for other in table.others],
    }


def answer_json(answer: Answer) -> dict[str, Any]:
    return {
        "text": answer.text,
        "parts": [
            {"said": said, "text": text, "written": written}
            for (said, text), written in zip(answer.said, answer.written, strict=True)
        ],
        "citations": [citation_json(item) for item in answer.citations],
        "refused": answer.refused,
        "model": answer.model,
        "unsupported": list(answer.unsupported),
        "checked": None if answer.checked is None else asdict(answer.checked),
    }


def citation_json(item: Citation) -> dict[str, Any]:
    return {
        "n": item.n,
        "kind": item.kind,
        "document_id": item.document_id,
        "version_id": item.version_id,
        "document": item.document,
        "chunk_id": item.chunk_id,
        "heading_path": item.heading_path,
        "page": item.page,
        "label": item.label,
        "until": item.until,
        "sql": item.sql,
    }


def _plain(value: Any) -> Any:
    """A cell as JSON holds it. A decimal stays exact as text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.date | dt.datetime | dt.time):
        return value.isoformat()
    return str(value)
