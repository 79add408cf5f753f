"""Pages of conversations. Each parses, calls one function, renders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from retrieval.options_form import form_context
from retrieval.talks import markdown_of, talks_of, talks_shared, turns_of, turns_shown
from teams.requests import member_of
from telemetry.conversations import (
    conversation_delete,
    conversation_rename,
    conversation_share,
)
from telemetry.models import Conversation

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest

    from teams.models import User

PER_PAGE, TURNS = 25, 20


def _talk(request: HttpRequest, talk_id: uuid.UUID) -> tuple[User, Conversation]:
    """The conversation if this person may read it; else 404, as for one that is not there."""
    user, _workspace = member_of(request)
    readable = Conversation.objects.visible_to(user).select_related("workspace", "user")
    return user, get_object_or_404(readable, pk=talk_id)


def _own(request: HttpRequest, talk_id: uuid.UUID) -> tuple[User, Conversation]:
    user, talk = _talk(request, talk_id)
    if talk.user_id != user.pk:
        raise Http404("No such conversation of yours.")
    return user, talk


@require_safe
def talk_list(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request)
    page = Paginator(talks_of(user, workspace), PER_PAGE).get_page(request.GET.get("page"))
    shared = talks_shared(user, workspace)[:PER_PAGE]
    return render(request, "retrieval/conversations.html", {"page": page, "shared": shared})


@require_safe
def talk_detail(request: HttpRequest, talk_id: uuid.UUID) -> HttpResponse:
    """The last page of its turns, or the one asked for."""
    user, talk = _talk(request, talk_id)
    pages = Paginator(turns_of(talk, user).select_related("workspace", "user"), TURNS)
    page = pages.get_page(request.GET.get("page", pages.num_pages))
    own = talk.user_id == user.pk
    context = {
        "talk": talk,
        "own": own,
        "page": page,
        "turns": turns_shown(page.object_list, user),
        "limit": settings.QUESTION_MAX_CHARACTERS,
        "form": form_context(talk.workspace, user) if own else None,
    }
    return render(request, "retrieval/conversation.html", context)


@require_POST
def talk_rename(request: HttpRequest, talk_id: uuid.UUID) -> HttpResponse:
    user, talk = _own(request, talk_id)
    if not conversation_rename(conversation=talk, user=user, title=request.POST.get("title", "")):
        messages.error(request, _("A conversation needs a title. The old one was kept."))
    return redirect("talk", talk_id=talk.pk)


@require_POST
def talk_share(request: HttpRequest, talk_id: uuid.UUID) -> HttpResponse:
    user, talk = _own(request, talk_id)
    shared = request.POST.get("shared") == "1"
    conversation_share(conversation=talk, user=user, shared=shared)
    if shared:
        messages.success(request, _("Everybody in this workspace can read it now."))
    else:
        messages.success(request, _("It is yours alone again."))
    return redirect("talk", talk_id=talk.pk)


@require_POST
def talk_delete(request: HttpRequest, talk_id: uuid.UUID) -> HttpResponse:
    user, talk = _own(request, talk_id)
    title = talk.title
    conversation_delete(conversation=talk, user=user)
    messages.success(
        request,
        _("“%(title)s” was deleted. Its questions are still under Traces.") % {"title": title},
    )
    return redirect("talks")


@require_safe
def talk_export(request: HttpRequest, talk_id: uuid.UUID) -> HttpResponse:
    user, talk = _talk(request, talk_id)
    reply = HttpResponse(markdown_of(talk, user), content_type="text/markdown; charset=utf-8")
    name = slugify(talk.title)[:60] or "conversation"
    reply["Content-Disposition"] = f'attachment; filename="{name}.md"'
    return reply
