"""What a workspace asked, by week: how many questions, by which routes, how long, what it cost."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.core.cache import cache
from django.db.models import Aggregate, Count, FloatField, Q, Sum
from django.db.models.functions import TruncWeek
from django.utils import timezone

from teams.access import Right, require
from telemetry.models import RunState, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from django.db.models import QuerySet

    from teams.models import User, Workspace

ROUTES = ("relational", "vectorial", "graph")
WEEKS = (4, 12, 26, 52)
# What takes longer than this to count is kept for so long.
SLOW_SECONDS, KEPT_SECONDS = 0.15, 300


class Quantiles(Aggregate):
    """Median and 95th percentile in one sort, interpolated (`percentile_cont`); NULLs are left out."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY %(expressions)s)%(filter)s"
    output_field = ArrayField(FloatField())


@dataclass(frozen=True, slots=True)
class Week:
    """One week of a workspace; `monday` is its first day in the instance's time zone.

    `median_ms` and `p95_ms` are of runs that ended by themselves, None without any; `cost` is None where
    no price was set. A question of several parts counts once for each of its routes.
    """

    monday: date
    questions: int = 0
    people: int = 0
    answered: int = 0
    refused: int = 0
    failed: int = 0
    cached: int = 0
    relational: int = 0
    vectorial: int = 0
    graph: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Usage:
    """The weeks, oldest first and none left out, and all of them as one."""

    weeks: list[Week]
    total: Week
    counted_at: datetime


def usage_of(*, workspace: Workspace, user: User, weeks: int) -> Usage:
    """The last `weeks` weeks with the present one. Raises PermissionDenied without the right to audit.

    Three statements, however many traces there are. What took long to count is given again for a few
    minutes, to whoever may see it then; `counted_at` says from when it is.
    """
    require(user, workspace, Right.AUDIT)
    today = timezone.localdate()
    last = today - timedelta(days=today.weekday())
    key = f"usage:{workspace.pk}:{weeks}:{last}:{timezone.get_current_timezone_name()}"
    kept: Usage | None = cache.get(key)
    if kept is not None:
        return kept
    started = time.perf_counter()
    counted = _counted(workspace, [last - timedelta(weeks=back) for back in reversed(range(weeks))])
    if time.perf_counter() - started > SLOW_SECONDS:
        cache.set(key, counted, KEPT_SECONDS)
    return counted


def _counted(workspace: Workspace, mondays: list[date]) -> Usage:
    begin = timezone.make_aware(datetime.combine(mondays[0], datetime.min.time()))
    traces = Trace.objects.in_workspace(workspace).filter(started_at__gte=begin).order_by()
    routes = _routes(traces)
    found = {
        row.pop("monday").date(): row
        for row in traces.values(monday=TruncWeek("started_at")).annotate(**_figures())
    }
    held = [_week(monday, found.get(monday, {}), routes) for monday in mondays]
    total = traces.aggregate(**_figures())
    whole = _week(mondays[0], total, {mondays[0]: _summed(routes.values())})
    return Usage(held, whole, timezone.now())


def usage_csv(usage: Usage) -> str:
    """The weeks as CSV with a line of names: figures with a point, empty where there is none."""
    lines = io.StringIO()
    names = [field.name for field in fields(Week)]
    writer = csv.writer(lines)
    writer.writerow(names)
    for week in usage.weeks:
        values = (getattr(week, name) for name in names)
        writer.writerow("" if value is None else _plain(value) for value in values)
    return lines.getvalue()


def _figures() -> dict[str, Any]:
    ended = Q(state__in=[RunState.DONE, RunState.REFUSED])
    lost = Q(state__in=[RunState.FAILED, RunState.INTERRUPTED])
    return {
        "questions": Count("pk"),
        "people": Count("user", distinct=True),
        "answered": Count("pk", filter=Q(state=RunState.DONE)),
        "refused": Count("pk", filter=Q(state=RunState.REFUSED)),
        "failed": Count("pk", filter=lost),
        "cached": Count("pk", filter=Q(cached=True)),
        "quantiles": Quantiles("duration_ms", filter=ended),
        "tokens_read": Sum("tokens_in"),
        "tokens_written": Sum("tokens_out"),
        "spent": Sum("cost"),
    }


def _routes(traces: QuerySet[Trace]) -> dict[date, dict[str, int]]:
    """How many questions went to each route, by week. Routes of one question are joined by `+`; few ways
    of joining them occur, so that the database counts these and they are taken apart here."""
    rows = (
        traces.exclude(route="")
        .values("route", monday=TruncWeek("started_at"))
        .annotate(number=Count("pk"))
    )
    found: dict[date, dict[str, int]] = {}
    for row in rows:
        week = found.setdefault(row["monday"].date(), {})
        for route in row["route"].split("+"):
            week[route] = week.get(route, 0) + row["number"]
    return found


def _summed(counted: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counted:
        for route, number in one.items():
            total[route] = total.get(route, 0) + number
    return total


def _week(monday: date, row: dict[str, Any], routes: dict[date, dict[str, int]]) -> Week:
    counts = {
        name: row.get(name) or 0
        for name in ("questions", "people", "answered", "refused", "failed", "cached")
    }
    by_route = {route: routes.get(monday, {}).get(route, 0) for route in ROUTES}
    median, high = row.get("quantiles") or (None, None)
    return Week(
        monday=monday,
        median_ms=median,
        p95_ms=high,
        tokens_in=row.get("tokens_read") or 0,
        tokens_out=row.get("tokens_written") or 0,
        cost=row.get("spent"),
        **counts,
        **by_route,
    )


def _plain(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
