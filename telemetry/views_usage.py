"""The usage page: what a workspace asked by week, in charts and in a table, and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from teams.access import Right
from teams.requests import member_of
from telemetry.accounting import currency
from telemetry.charts import Chart, bars
from telemetry.panel import ROUTE_LABELS
from telemetry.usage import ROUTES, WEEKS, usage_csv, usage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.http import HttpRequest

    from telemetry.usage import Usage, Week

NORMAL = 12


@require_safe
def usage(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.AUDIT)
    weeks = _weeks(request)
    found = usage_of(workspace=workspace, user=user, weeks=weeks)
    return render(
        request,
        "telemetry/usage.html",
        {
            "usage": found,
            "charts": charts_of(found) if found.total.questions else [],
            "weeks": weeks,
            "choices": WEEKS,
            "currency": currency(),
        },
    )


@require_safe
def usage_download(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.AUDIT)
    found = usage_of(workspace=workspace, user=user, weeks=_weeks(request))
    reply = HttpResponse(usage_csv(found), content_type="text/csv; charset=utf-8")
    name = f"usage-{workspace.slug}-{found.weeks[-1].monday:%Y-%m-%d}.csv"
    reply["Content-Disposition"] = f'attachment; filename="{name}"'
    return reply


def charts_of(usage: Usage) -> list[Chart]:
    """The page's charts, in its order."""
    total = usage.total
    charts = [
        _chart(
            usage,
            "questions",
            _("Questions"),
            (_("answered"), _("no answer found"), _("failed or interrupted")),
            lambda week: (week.answered, week.refused, week.failed),
            total=_whole(total.questions),
        ),
        _chart(
            usage,
            "routes",
            _("Routes"),
            tuple(str(ROUTE_LABELS[route]) for route in ROUTES),
            lambda week: tuple(getattr(week, route) for route in ROUTES),
            total=_whole(sum(getattr(total, route) for route in ROUTES)),
        ),
        _chart(
            usage,
            "latency",
            _("Time to the answer"),
            (_("median"), _("95th percentile")),
            lambda week: (week.median_ms, week.p95_ms),
            total=f"{_whole(total.median_ms)} / {_whole(total.p95_ms)} ms",
            unit="ms",
            stacked=False,
        ),
        _share(usage, "refusals", _("Refusals"), lambda week: week.refused),
        _share(usage, "cache", _("Answers from the cache"), lambda week: week.cached),
    ]
    if total.cost is not None:
        cost = _chart(
            usage,
            "cost",
            _("Cost"),
            (_("cost"),),
            lambda week: (float(week.cost or 0),),
            total=f"{number_format(total.cost, 2)} {currency()}",
            unit=currency(),
            places=4,
        )
        charts.append(cost)
    return charts


def _share(usage: Usage, key: str, title: str, part: Callable[[Week], int]) -> Chart:
    """A part of the questions in percent, on a scale that ends at 100."""

    def percent(week: Week) -> tuple[float | None]:
        return (100 * part(week) / week.questions if week.questions else None,)

    total = f"{number_format(percent(usage.total)[0] or 0, 1)} %"
    return _chart(usage, key, title, (title,), percent, total=total, unit="%", end=100, places=1)


def _chart(
    usage: Usage,
    key: str,
    title: str,
    series: tuple[str, ...],
    values: Callable[[Week], Sequence[float | None]],
    *,
    total: str,
    unit: str = "",
    stacked: bool = True,
    end: float | None = None,
    places: int = 0,
) -> Chart:
    rows = [values(week) for week in usage.weeks]
    said = [
        [
            f"{date_format(week.monday, 'SHORT_DATE_FORMAT')}, {name}: "
            f"{number_format(value or 0, places)} {unit}".strip()
            for name, value in zip(series, row, strict=True)
        ]
        for week, row in zip(usage.weeks, rows, strict=True)
    ]
    rects, top = bars(rows, said, stacked=stacked, end=end)
    return Chart(key, title, unit, series, rects, top, total)


def _whole(value: float | None) -> str:
    return "–" if value is None else str(number_format(round(value), force_grouping=True))


def _weeks(request: HttpRequest) -> int:
    """How many weeks the page shows: what was asked for if it is offered, else twelve."""
    asked = request.GET.get("weeks", "")
    return int(asked) if asked in {str(number) for number in WEEKS} else NORMAL
