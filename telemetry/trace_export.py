"""Traces as JSON Lines and CSV, written row by row as they are read.

What was asked and what decided it, with its numbers. No answer, no rows and no name of a document: those
are read under the reader's rights of the moment, which a file outlives.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from telemetry.narrowing import hidden_since, trace_whole_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import User, Workspace
    from telemetry.models import Trace

COLUMNS = (
    "id", "asked_at", "person", "question", "resolved", "language", "state", "route", "stage",
    "top_score", "margin", "cached", "tokens_in", "tokens_out", "cost", "duration_ms", "citations",
    "error",
)  # fmt: skip
DECIDED = ("position", "text", "route", "stage", "margin", "reason", "revision", "scores")
# What may be told of a part to somebody who may not read all that it leant on.
TOLD = ("position", "route", "stage", "margin", "revision", "scores")
CHUNK = 500
# A spreadsheet takes what begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file that hands each line back instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def rows_json(traces: Any, user: User, workspace: Workspace) -> Iterator[str]:
    """One JSON object a line, with the decision of each part, as `user` may see them."""
    for trace, whole in _rows(traces, user, workspace):
        said = DECIDED if whole else TOLD
        parts = [{name: part.get(name) for name in said} for part in trace.parts]
        yield json.dumps(_row(trace, whole=whole) | {"parts": parts}, ensure_ascii=False) + "\n"


def rows_csv(traces: Any, user: User, workspace: Workspace) -> Iterator[str]:
    """A header and one line for each trace; cells that a spreadsheet would compute are quoted with '."""
    writer: Any = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for trace, whole in _rows(traces, user, workspace):
        yield writer.writerow([_cell(value) for value in _row(trace, whole=whole).values()])


def _rows(traces: Any, user: User, workspace: Workspace) -> Iterator[tuple[Trace, bool]]:
    """Each run, and whether `user` may read now all that it could lean on."""
    last = hidden_since(user, workspace)
    for trace in traces.select_related("user").iterator(chunk_size=CHUNK):
        yield trace, trace_whole_after(trace, user, last)


def _row(trace: Trace, *, whole: bool) -> dict[str, Any]:
    return {
        "id": str(trace.pk),
        "asked_at": trace.started_at.isoformat(),
        "person": trace.user.username,
        "question": trace.question,
        "resolved": trace.resolved if whole else "",
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
