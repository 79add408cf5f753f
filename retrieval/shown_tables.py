"""What the page of a run adds to answers from tables: a chart, and what its reader said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.sql.chart import chart_of
from retrieval.sql.verdicts import verdicts_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from teams.models import User
    from telemetry.models import Trace
    from telemetry.panel import PartView


def tables_fill(parts: Iterable[PartView], trace: Trace, user: User) -> None:
    """Add `chart` (None where the rows are no small series) and `verdict` to each readable table."""
    readable = [part for part in parts if part.table and not part.table.get("withdrawn")]
    said = verdicts_of(trace, user) if readable else {}
    for part in readable:
        table = part.table or {}
        whole = not table.get("truncated")
        chart = chart_of(table.get("columns") or [], table.get("rows") or []) if whole else None
        part.table = {**table, "chart": chart, "verdict": said.get(part.position, "")}
