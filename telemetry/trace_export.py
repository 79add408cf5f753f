"""Traces as JSON Lines and CSV, written row by row as they are read.

What was asked and what decided it, with its numbers. No answer, no rows and no name of a document: those
are read under the reader's rights of the moment, which a file outlives.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from telemetry.models import Trace

COLUMNS = (
    "id", "asked_at", "person", "question", "resolved", "language", "state", "route", "stage",
    "top_score", "margin", "cached", "tokens_in", "tokens_out", "cost", "duration_ms", "citations",
    "error",
)  # fmt: skip
DECIDED = ("position", "text", "route", "stage", "margin", "reason", "revision", "scores")
CHUNK = 500
# A spreadsheet takes what begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file that hands each line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def rows_json(traces: Any) -> Iterator[str]:
    """One JSON object a line, with the decision of each part."""
    for trace in _rows(traces):
        parts = [{name: part.get(name) for name in DECIDED} for part in trace.parts]
        yield json.dumps(_row(trace) | {"parts": parts}, ensure_ascii=False) + "\n"


def rows_csv(traces: Any) -> Iterator[str]:
    """A header and one line for each trace; cells that a spreadsheet would compute are quoted with '."""
    writer: Any = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for trace in _rows(traces):
        yield writer.writerow([_cell(value) for value in _row(trace).values()])


def _rows(traces: Any) -> Iterator[Trace]:
    yield from traces.select_related("user").iterator(chunk_size=CHUNK)


def _row(trace: Trace) -> dict[str, Any]:
    return {
        "id": str(trace.pk),
        "asked_at": trace.started_at.isoformat(),
        "person": trace.user.username,
        "question": trace.question,
        "resolved": trace.resolved,
        "language": trace.language,
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
        "citations": len(trace.answer.get("citations") or []),
        "error": trace.error,
    }


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
