"""Pages of stored traces. Each reads within the rights of the person who looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from teams.access import Right, holds
from teams.requests import member_of
from telemetry.accounting import spent_of
from telemetry.models import RunState, Trace
from telemetry.options import options_shown
from telemetry.panel import (
    ROUTE_LABELS,
    STAGE_LABELS,
    part_view,
    routes_label,
    stages_label,
    stages_shown,
    waterfall,
)
from telemetry.placement_words import placement_words
from telemetry.selectors import traces_filtered, traces_of

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse

PER_PAGE = 25


@require_safe
def trace_list(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request)
    mine = traces_of(user, workspace)
    audits = holds(user, workspace, Right.AUDIT)
    found = traces_filtered(mine.select_related("user"), request.GET)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    for trace in page.object_list:
        trace.routes_label = routes_label(trace.route)
        trace.stages_label = stages_label(trace.stage)
    people = mine.order_by("user__username").values_list("user__username", flat=True).distinct()
    return render(
        request,
        "telemetry/list.html",
        {
            "page": page,
            "audits": audits,
            "people": people if audits else [],
            "states": RunState.choices,
            "routes": list(ROUTE_LABELS.items()),
            "stages": list(STAGE_LABELS.items()),
            "asked": request.GET,
            "filtered": any(request.GET.get(k) for k in ("state", "route", "stage", "person", "q")),
        },
    )


@require_safe
def trace_detail(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    user, _ = member_of(request)
    readable = Trace.objects.visible_to(user).select_related("user", "workspace")
    trace: Trace = get_object_or_404(readable, pk=trace_id)
    return render(
        request,
        "telemetry/trace.html",
        {
            "trace": trace,
            "parts": [part_view(part) for part in trace.parts],
            "routes_label": routes_label(trace.route),
            "stages_label": stages_label(trace.stage),
            "spans": waterfall(trace.spans.all()),
            "spent": spent_of(trace),
            "placement": placement_words(trace.placement),
            "stages": stages_shown(trace.spans.all()),
            "citations": trace.answer.get("citations", []),
            "options": options_shown(trace.options),
            "own": trace.user_id == user.pk,
        },
    )
