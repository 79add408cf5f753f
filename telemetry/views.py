"""Pages of stored traces. Each reads within the rights of the person who looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from teams.access import Right, holds
from teams.audit import address_of, audit_record
from teams.audit_models import AuditAction
from teams.models import Membership
from teams.paging import CappedPaginator
from teams.requests import member_of
from telemetry.accounting import spent_of
from telemetry.looking import list_record, look_record
from telemetry.models import RunState, Trace
from telemetry.narrowing import trace_seen
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
from telemetry.selectors import traces_of
from telemetry.trace_export import rows_csv, rows_json
from telemetry.trace_filters import FIELDS, filtered, trace_filters

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse

PER_PAGE = 25
EXPORTS = {
    "jsonl": (rows_json, "application/x-ndjson; charset=utf-8"),
    "csv": (rows_csv, "text/csv; charset=utf-8"),
}


@require_safe
def trace_list(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request)
    mine, audits = traces_of(user, workspace), holds(user, workspace, Right.AUDIT)
    if audits:
        list_record(workspace=workspace, user=user)
    rows = mine.select_related("user").defer("parts", "answer", "options")
    found = trace_filters(rows, request.GET, user)
    page = CappedPaginator(found, PER_PAGE).get_page(request.GET.get("page"))
    for trace in page.object_list:
        trace.routes_label = routes_label(trace.route)
        trace.stages_label = stages_label(trace.stage)
    people = Membership.objects.filter(workspace=workspace).order_by("user__username")
    return render(
        request,
        "telemetry/list.html",
        {
            "page": page,
            "audits": audits,
            "people": people.values_list("user__username", flat=True) if audits else [],
            "states": RunState.choices,
            "routes": list(ROUTE_LABELS.items()),
            "stages": list(STAGE_LABELS.items()),
            "asked": request.GET,
            "day_from": request.GET.get("from", ""),
            "filtered": filtered(request.GET),
            "query": request.GET.urlencode(),
        },
    )


@require_safe
def trace_export(request: HttpRequest, kind: str) -> StreamingHttpResponse:
    """The list with its filters as a file, written while it is read; each export is in the audit log."""
    user, workspace = member_of(request)
    found = trace_filters(traces_of(user, workspace), request.GET, user)
    rows, content_type = EXPORTS[kind]
    audit_record(
        action=AuditAction.EXPORTED,
        actor=user,
        workspace=workspace,
        target=f"traces.{kind}",
        details={name: request.GET[name] for name in FIELDS if request.GET.get(name)},
        address=address_of(request),
    )
    disposition = f'attachment; filename="traces-{workspace.slug}.{kind}"'
    return StreamingHttpResponse(
        rows(found, user, workspace),
        content_type=content_type,
        headers={"Content-Disposition": disposition},
    )


@require_safe
def trace_detail(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    user, _ = member_of(request)
    readable = Trace.objects.visible_to(user).select_related("user", "workspace", "conversation")
    trace: Trace = get_object_or_404(readable, pk=trace_id)
    look_record(trace=trace, user=user)
    seen = trace_seen(trace, user)
    return render(
        request,
        "telemetry/trace.html",
        {
            "trace": trace,
            "parts": [part_view(part) for part in seen.parts],
            "routes_label": routes_label(trace.route),
            "stages_label": stages_label(trace.stage),
            "spans": waterfall(trace.spans.all()),
            "spent": spent_of(trace),
            "placement": placement_words(trace.placement) if seen.whole else "",
            "stages": stages_shown(trace.spans.all()),
            "citations": seen.answer.get("citations", []),
            "options": options_shown(trace.options),
            "own": trace.user_id == user.pk,
            "replayable": trace.state in (RunState.DONE, RunState.REFUSED)
            and holds(user, trace.workspace, Right.ASK),
        },
    )
