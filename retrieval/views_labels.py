""" "Wrong route" under an answer, and the curators' queue of labelled questions."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from routing.labelling import (
    LabelInvalid,
    label_add,
    label_reopen,
    label_review,
    label_tell,
    label_withdraw,
    labels_counted,
)
from routing.models import LabelledQuestion, Route
from teams.access import Right
from teams.paging import CappedPaginator
from teams.requests import member_of
from telemetry.models import RunState, Trace

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from teams.models import User

PER_PAGE = 25
State = LabelledQuestion.State


def wrong_route_context(trace: Trace, user: User) -> dict[str, Any]:
    """What the form under an answer needs; nothing while the run goes on, or for somebody else's."""
    parts = [part for part in trace.parts if part.get("scores") and part.get("text")]
    if trace.user_id != user.pk or trace.state == RunState.RUNNING or not parts:
        return {}
    told = LabelledQuestion.objects.visible_to(user, Right.ASK).filter(
        workspace=trace.workspace_id, author=user, text__in=[part["text"] for part in parts]
    )
    return {"parts": parts, "told": list(told), "routes": Route.objects.filter(enabled=True)}


@require_POST
def wrong_route(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """The person who asked says which route would have been right for a part of the question."""
    user, _workspace = member_of(request)
    own = Trace.objects.visible_to(user, Right.ASK).filter(user=user).select_related("workspace")
    trace: Trace = get_object_or_404(own, pk=trace_id)
    chosen = request.POST.get("part", "0")
    parts = {str(part.get("position", 0)): part for part in trace.parts}
    part = parts.get(chosen)
    try:
        if part is None or not part.get("text"):
            raise LabelInvalid(_("Choose a part of the question."))
        label_tell(
            workspace=trace.workspace,
            user=user,
            text=part["text"],
            route=request.POST.get("route", ""),
            taken=part.get("route", ""),
        )
    except LabelInvalid as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Thank you. A curator looks at it."))
    return redirect("chat-run", trace_id=trace.pk)


@require_POST
def wrong_route_undo(request: HttpRequest, label_id: int) -> HttpResponse:
    user, _workspace = member_of(request)
    own = LabelledQuestion.objects.visible_to(user, Right.ASK).filter(author=user)
    label = get_object_or_404(own, pk=label_id)
    try:
        label_withdraw(label=label, user=user)
    except LabelInvalid as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Taken back."))
    back = request.POST.get("trace", "")
    known = Trace.objects.visible_to(user).filter(pk=back).first() if _is_key(back) else None
    return redirect("chat-run", trace_id=known.pk) if known else redirect("chat")


def _is_key(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


@require_safe
def labels(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    rows = LabelledQuestion.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    state = request.GET.get("state", State.PENDING)
    if state not in State.values:
        state = State.PENDING
    found = rows.filter(state=state).select_related("author", "reviewer", "route")
    context = {
        "page": CappedPaginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "state": state,
        "states": [
            (key, label, count)
            for (key, label), count in zip(State.choices, labels_counted(workspace), strict=True)
        ],
        "routes": list(Route.objects.filter(enabled=True)),
        "asked": request.GET,
    }
    return render(request, "retrieval/labels.html", context)


@require_POST
def label_new(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    try:
        label_add(
            workspace=workspace,
            user=user,
            text=request.POST.get("text", ""),
            route=request.POST.get("route", ""),
        )
    except LabelInvalid as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Added and accepted."))
    return redirect("labels")


@require_POST
def label_decide(request: HttpRequest, label_id: int) -> HttpResponse:
    """Accept (with the route that is chosen), reject, or let it wait again."""
    user, workspace = member_of(request, Right.CURATE)
    rows = LabelledQuestion.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    label = get_object_or_404(rows.select_related("workspace"), pk=label_id)
    verdict = request.POST.get("verdict", "")
    try:
        match verdict:
            case "accept" | "reject":
                label_review(
                    label=label,
                    user=user,
                    accepted=verdict == "accept",
                    route=request.POST.get("route", ""),
                )
                messages.success(request, _("Reviewed. It can be undone under its state."))
            case "reopen":
                label_reopen(label=label, user=user)
                messages.success(request, _("It waits for review again."))
            case _other:
                raise LabelInvalid(_("Choose to accept or to reject."))
    except LabelInvalid as error:
        messages.error(request, str(error))
    return redirect("labels")
