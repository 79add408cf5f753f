"""Where questions are answered and what that costs, from stored runs or from a built-in set."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce

from engines.placement import placement
from engines.placing import REMOTE_FIRST
from routing.clauses import split
from telemetry.models import Trace

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from teams.models import Workspace

MILLION = 1_000_000
SET = Path(__file__).parent / "sets" / "route_questions.jsonl"


@dataclass(frozen=True, slots=True)
class Prices:
    """Of an API, for a million tokens."""

    tokens_in: Decimal
    tokens_out: Decimal

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / MILLION


def live(*, since: dt.datetime, prices: Prices, workspace: Workspace | None) -> dict[str, Any]:
    """Of runs that had a choice and in which a model wrote: shares, cost, and what an API alone would have
    cost for the same tokens. For the operator: it counts over all people."""
    runs = Trace.objects.filter(started_at__gte=since).exclude(placement={})
    if workspace is not None:
        runs = runs.filter(workspace=workspace)
    sums = runs.aggregate(
        questions=Count("pk"),
        written=Count("pk", filter=Q(tokens_out__gt=0)),
        remote=Count("pk", filter=Q(remote=True)),
        tokens_in=Coalesce(Sum("tokens_in"), 0),
        tokens_out=Coalesce(Sum("tokens_out"), 0),
        cost=Coalesce(Sum("cost"), Decimal(0)),
    )
    reasons = Counter(runs.values_list("placement__reason", flat=True))
    alone = prices.of(sums["tokens_in"], sums["tokens_out"])
    return {
        **_report(sums["questions"], sums["remote"], sums["cost"], alone, reasons),
        "written": sums["written"],
    }


def simulated(
    rows: Iterable[dict[str, Any]], *, prices: Prices, tokens_in: int, tokens_out: int
) -> dict[str, Any]:
    """Of `rows` (question, language, sensitive), each taken for so many tokens: what would go where.

    Local answers cost nothing. `leaked` counts sensitive ones that would go to the API, `false_alarms`
    others that would be kept as sensitive.
    """
    each = prices.of(tokens_in, tokens_out)
    questions = remote = leaked = alarms = 0
    reasons: Counter[str] = Counter()
    for row in rows:
        parts = len(split(row["question"], row["language"]))
        found = placement(row["question"], parts=parts)
        away = found.places == REMOTE_FIRST
        questions += 1
        remote += away
        leaked += row["sensitive"] and len(found.places) > 1
        alarms += bool(found.kind) and not row["sensitive"]
        reasons[found.reason.value] += 1
    report = _report(questions, remote, remote * each, questions * each, reasons)
    return {**report, "leaked": leaked, "false_alarms": alarms}


def built_in() -> list[dict[str, Any]]:
    """The questions that come with the product."""
    lines = SET.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _report(
    questions: int, remote: int, cost: Decimal, alone: Decimal, reasons: Counter[str]
) -> dict[str, Any]:
    return {
        "questions": questions,
        "remote": remote,
        "share_remote": round(remote / questions, 3) if questions else None,
        "cost": f"{cost:.6f}",
        "cost_per_question": f"{cost / questions:.6f}" if questions else None,
        "api_only": f"{alone:.6f}",
        "saving": round(float(1 - cost / alone), 3) if alone else None,
        "reasons": dict(reasons.most_common()),
    }
