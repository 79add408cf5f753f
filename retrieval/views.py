"""Pages of questions and answers. Each parses, calls one function, renders."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.http import Http404, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from corpus.models import Document
from retrieval.errors import QuestionRefused
from retrieval.kept import kept_refuse, kept_shown
from retrieval.options import options_posted
from retrieval.options_form import form_context
from retrieval.shown import answer_text, run_view, source_view
from retrieval.shown_tables import tables_fill
from retrieval.talks import talks_of
from retrieval.views_labels import wrong_route_context
from teams.access import Right, holds, require
from teams.requests import member_of
from telemetry.looking import look_record
from telemetry.models import Conversation, Trace
from telemetry.options import options_shown
from telemetry.services import run_settle_dead
from telemetry.sse import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from teams.models import User, Workspace

RECENT = 8
DEMO_SLUG = "demo"
# One question per store, about the demo's corpus.
EXAMPLES = {
    "relational": "Qual foi o valor total das vendas na região Norte em 2025?",
    "vectorial": "Que equipamento de proteção é obrigatório na fábrica de Tomar?",
    "graph": "Quem dirige a fábrica onde é produzida a linha Nabão?",
}


def _ask_page(
    request: HttpRequest,
    user: User,
    workspace: Workspace,
    *,
    question: str = "",
    refusal: str = "",
    field: str = "",
) -> HttpResponse:
    """`field` names the option that was refused; what was posted is shown again then."""
    talks = talks_of(user, workspace)[:RECENT]
    documents = Document.objects.visible_to(user).in_workspace(workspace)
    context = {
        "question": question,
        "refusal": refusal,
        "talks": talks,
        "documents": documents.filter(current__isnull=False).count(),
        "examples": EXAMPLES if workspace.slug == DEMO_SLUG else {},
        "limit": settings.QUESTION_MAX_CHARACTERS,
        "form": form_context(workspace, user, request.POST if refusal else None, field),
    }
    return render(request, "retrieval/chat.html", context, status=400 if refusal else 200)


def _trace(request: HttpRequest, trace_id: uuid.UUID) -> tuple[User, Trace]:
    """The run if this person may read it; else 404, as for one that is not there."""
    user, _ = member_of(request)
    readable = Trace.objects.visible_to(user).select_related("workspace", "user", "conversation")
    trace: Trace = get_object_or_404(readable, pk=trace_id)
    look_record(trace=trace, user=user)
    return user, trace


def talk_posted(request: HttpRequest, user: User) -> Conversation | None:
    """The conversation that a form names, if it is this person's own; 404 for any other."""
    key = request.POST.get("conversation", "")
    if not key:
        return None
    try:
        pk = uuid.UUID(key)
    except ValueError as error:
        raise Http404("No such conversation.") from error
    own = Conversation.objects.visible_to(user, Right.ASK).filter(user=user)
    talk: Conversation = get_object_or_404(own.select_related("workspace"), pk=pk)
    return talk


def _talk_seen(trace: Trace, user: User) -> Conversation | None:
    """The run's conversation if this person may read it."""
    if trace.conversation_id is None:
        return None
    rows = Conversation.objects.visible_to(user)
    return cast("Conversation | None", rows.filter(pk=trace.conversation_id).first())


def _own(request: HttpRequest, trace_id: uuid.UUID) -> tuple[User, Trace]:
    """The run if this person asked it; else 404, also for those who may read it."""
    user, trace = _trace(request, trace_id)
    if trace.user_id != user.pk:
        raise Http404("No such run of yours.")
    return user, trace


def _begun(
    request: HttpRequest, user: User, trace: Trace, begin: Callable[..., Trace]
) -> HttpResponse:
    """The page of the run that `begin` makes of `trace`; the form, with the reason, where it is refused.

    What was asked before may be refused today: the lists of the screen change.
    """
    try:
        fresh = begin(trace=trace, user=user)
    except QuestionRefused as error:
        refusal = str(error)
        return _ask_page(request, user, trace.workspace, question=trace.question, refusal=refusal)
    return redirect("chat-run", trace_id=fresh.pk)


@require_safe
def chat(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.ASK)
    return _ask_page(request, user, workspace)


@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    # The engines load with the first question, not with the first page.
    from retrieval.runs import run_start

    user, workspace = member_of(request, Right.ASK)
    question = request.POST.get("question", "")
    talk = talk_posted(request, user)
    try:
        options = options_posted(request.POST)
        trace = run_start(
            workspace=talk.workspace if talk else workspace,
            user=user,
            question=question,
            options=options,
            conversation=talk,
        )
    except QuestionRefused as error:
        kept = question.replace("\x00", "")
        field = getattr(error, "field", "")
        return _ask_page(request, user, workspace, question=kept, refusal=str(error), field=field)
    return redirect("chat-run", trace_id=trace.pk)


@require_POST
def cancel(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    from retrieval.runs import run_cancel

    user, trace = _own(request, trace_id)
    run_cancel(trace=trace, user=user)
    return redirect("chat-run", trace_id=trace.pk)


@require_POST
def again(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """Ask the question of one's own run once more, with the same options."""
    from retrieval.runs import run_again

    user, trace = _own(request, trace_id)
    return _begun(request, user, trace, run_again)


@require_safe
def run(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """The run's page; `?partial=live&upto=SEQ` gives its live part as it stood after that event."""
    user, trace = _trace(request, trace_id)
    run_settle_dead(trace=trace)
    shown = run_view(trace, user, number(request.GET.get("upto", "")) or None)
    tables_fill(shown.parts, trace, user)
    partial = request.GET.get("partial") == "live"
    name = "retrieval/run.html#live" if partial else "retrieval/run.html"
    context = {
        "run": shown,
        "trace": trace,
        "limit": settings.QUESTION_MAX_CHARACTERS,
        "options": options_shown(trace.options),
        "own": trace.user_id == user.pk,
        "talk": _talk_seen(trace, user),
        "kept": kept_shown(trace, user),
        "may_judge": holds(user, trace.workspace, Right.ASK),
        "wrong": {} if partial else wrong_route_context(trace, user),
        # The live part holds no form, and is fetched anew with every event.
        "form": None if partial else form_context(trace.workspace, user),
    }
    return render(request, name, context)


@require_POST
def kept_refused(request: HttpRequest, trace_id: uuid.UUID) -> HttpResponse:
    """ "Not what I asked": the kept answer goes, and the question is asked anew."""
    user, trace = _trace(request, trace_id)
    require(user, trace.workspace, Right.ASK)
    return _begun(request, user, trace, kept_refuse)


@require_safe
def run_json(request: HttpRequest, trace_id: uuid.UUID) -> JsonResponse:
    user, trace = _trace(request, trace_id)
    shown = run_view(trace, user, None)
    return JsonResponse(
        {
            "state": shown.state,
            "answer": answer_text(shown) or shown.error,
            "routes": [part.route for part in shown.parts],
            "citations": [
                {"n": item["n"], "document": item["document"]} for item in shown.citations
            ],
            "trace_url": reverse("trace", args=[trace.pk]),
        }
    )


@require_safe
def source(request: HttpRequest, trace_id: uuid.UUID, n: int) -> HttpResponse:
    user, trace = _trace(request, trace_id)
    shown = source_view(trace, user, n)
    if shown is None:
        raise Http404("No such source.")
    return render(request, "retrieval/source.html", {"trace": trace, "source": shown})
