"""The page of a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from engines.errors import EngineError
from retrieval.errors import QuestionRefused
from teams.requests import member_of
from telemetry.looking import look_record
from telemetry.models import Trace
from telemetry.panel import route_label, stages_label

if TYPE_CHECKING:
    import uuid
    from typing import Any

    from django.http import HttpRequest, HttpResponse

    from retrieval.replay import Difference

LABELS = {
    "route": _("Route"),
    "stage": _("Stage"),
    "scores": _("Scores"),
    "sources": _("Found"),
    "cited": _("Sources"),
    "answer": _("Answer"),
    "parts": _("Parts"),
}


def _shown(one: Difference) -> dict[str, Any]:
    before, now = one.before, one.now
    if one.what in ("route", "stage"):
        name = route_label if one.what == "route" else stages_label
        before, now = name(before), name(now)
    return {
        "what": one.what, "label": LABELS[one.what], "place": one.position + 1, "before": before,
        "now": now,
    }  # fmt: skip


@require_POST
def trace_replay(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """Ask again and show what differs. It is a POST, as it costs what a question costs."""
    # The engines load with the first question, not with the first page.
    from retrieval.replay import replay, replayable

    user, _workspace = member_of(request)
    readable = Trace.objects.visible_to(user).select_related("workspace", "user", "conversation")
    trace: Trace = get_object_or_404(readable, pk=trace_id)
    if not replayable(trace):
        raise Http404("A run that did not end cannot be replayed.")
    look_record(trace=trace, user=user)
    context: dict[str, Any] = {"trace": trace, "replay": None, "error": ""}
    try:
        found = replay(trace=trace, user=user)
        context["replay"] = found
        context["differences"] = [_shown(one) for one in found.differences]
    except (EngineError, QuestionRefused) as error:
        context["error"] = str(error)
    return render(request, "retrieval/replay.html", context)
