"""Where the stored passages went, and deciding it anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from corpus.models import Reroute
from corpus.rerouting import (
    RerouteRefused,
    moved_seen,
    reroute_preview,
    reroute_queue,
    reroute_undo,
)
from corpus.route_counts import route_counts
from engines.errors import EngineError
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from corpus.rerouting import Preview
    from teams.models import User, Workspace

LISTED = 20


@require_safe
def routes(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    jobs = Reroute.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    listed = list(jobs.select_related("author")[:LISTED])
    moved = moved_seen(user, listed)
    for job in listed:
        job.moved_seen = moved.get(job.pk)
    found = route_counts(workspace, user, listed)
    context = {
        "counts": found.counts,
        "near": found.near,
        "preview": _preview(request, workspace, user) if "preview" in request.GET else None,
        "jobs": listed,
        "busy": any(job.state in ("running", "undoing") for job in listed),
        "undoable": next((job.pk for job in listed if job.state == "done"), None),
    }
    return render(request, "corpus/routes.html", context)


def _preview(request: HttpRequest, workspace: Workspace, user: User) -> Preview | None:
    try:
        return reroute_preview(workspace, user)
    except EngineError as error:
        messages.error(request, str(error))
        return None


@require_POST
def reroute_start(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    reason = request.POST.get("reason", "").strip()
    if not reason:
        messages.error(request, _("Say why the routes are decided anew."))
        return redirect("corpus-routes")
    try:
        reroute_queue(workspace, user, reason)
    except RerouteRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The routes are being decided anew."))
    return redirect("corpus-routes")


@require_POST
def reroute_take_back(request: HttpRequest, reroute_id: int) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    readable = Reroute.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    try:
        reroute_undo(get_object_or_404(readable, pk=reroute_id), user)
    except RerouteRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The former routes are being put back."))
    return redirect("corpus-routes")
