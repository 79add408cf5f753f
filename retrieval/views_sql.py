"""Pages of an answer from tables: all its rows, the same as a file, and right or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from retrieval.sql.csv_rows import csv_lines
from retrieval.sql.execute import SqlFailed
from retrieval.sql.guard import SqlRefused
from retrieval.sql.stored import rows_again
from retrieval.sql.verdicts import NoSuchAnswer, part_of, verdict_give, verdict_take_back
from teams.access import Right, require
from teams.requests import member_of
from telemetry.models import Trace
from telemetry.panel import part_view

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse

    from retrieval.sql.execute import Rows
    from teams.models import User

PER_PAGE = 50


def _part(
    request: HttpRequest, trace_id: uuid.UUID, position: int
) -> tuple[User, Trace, dict[str, Any]]:
    """The part of a run that this person may read, with its table; else 404."""
    user, _workspace = member_of(request)
    trace: Trace = get_object_or_404(
        Trace.objects.visible_to(user).select_related("workspace"), pk=trace_id
    )
    try:
        return user, trace, part_of(trace, user, position)
    except NoSuchAnswer as error:
        raise Http404(str(error)) from error


def _rows(trace: Trace, user: User, part: dict[str, Any]) -> Rows:
    """The rows as they are now. What the database refuses, such as a timeout, is told as it says it."""
    try:
        return rows_again(workspace=trace.workspace, user=user, sql=part["table"]["sql"])
    except SqlRefused as error:
        raise Http404(str(error)) from error


@require_safe
def rows(request: HttpRequest, trace_id: uuid.UUID, position: int) -> HttpResponse:
    user, trace, part = _part(request, trace_id, position)
    context: dict[str, Any] = {"trace": trace, "part": part_view(part), "position": position}
    try:
        found = _rows(trace, user, part)
    except SqlFailed as error:
        context["failed"] = str(error)
        return render(request, "retrieval/rows.html", context, status=503)
    page = Paginator(found.rows, PER_PAGE).get_page(request.GET.get("page"))
    table = {"columns": found.columns, "rows": page.object_list, "truncated": found.truncated}
    context |= {"page": page, "table": table, "total": len(found.rows)}
    return render(request, "retrieval/rows.html", context)


@require_safe
def rows_csv(
    request: HttpRequest, trace_id: uuid.UUID, position: int
) -> StreamingHttpResponse | HttpResponse:
    user, trace, part = _part(request, trace_id, position)
    try:
        found = _rows(trace, user, part)
    except SqlFailed as error:
        context = {"trace": trace, "part": part_view(part), "failed": str(error)}
        return render(request, "retrieval/rows.html", context, status=503)
    reply = StreamingHttpResponse(
        csv_lines(found.columns, found.rows), content_type="text/csv; charset=utf-8"
    )
    reply["Content-Disposition"] = f'attachment; filename="rows-{trace.pk}-{position}.csv"'
    return reply


@require_POST
def verdict(request: HttpRequest, trace_id: uuid.UUID, position: int) -> HttpResponse:
    """Right, wrong, or taken back; then the run's page, at that part."""
    user, trace, _found = _part(request, trace_id, position)
    require(user, trace.workspace, Right.ASK)
    said = request.POST.get("verdict", "")
    if said in {"right", "wrong"}:
        verdict_give(trace=trace, position=position, user=user, right=said == "right")
    elif said == "none":
        verdict_take_back(trace=trace, position=position, user=user)
    else:
        messages.error(request, _("Say whether the answer is right or wrong."))
    address = reverse("chat-run", args=[trace.pk])
    return HttpResponseRedirect(f"{address}#verdict-{position}")
