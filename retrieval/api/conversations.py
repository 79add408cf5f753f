"""Conversations: list, read, rename, share, export, delete."""

import uuid
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query, QueryEx, Router

from retrieval.api import schemas
from retrieval.api.paging import Paging, page_of
from retrieval.api.schemas import answers
from retrieval.api.shown import run_shown, talk_shown
from retrieval.talks import markdown_of, talks_of, talks_shared, turns_of
from teams.models import User
from teams.requests import member_of
from telemetry.conversations import (
    conversation_delete,
    conversation_rename,
    conversation_share,
)
from telemetry.models import Conversation

router = Router(tags=["conversations"])
ONE = "/conversations/{uuid:conversation_id}"
MARKDOWN = {"text/markdown": {"schema": {"type": "string"}}}


def _talk(request: HttpRequest, key: uuid.UUID) -> tuple[User, Conversation]:
    user, workspace = member_of(request)
    rows = Conversation.objects.visible_to(user).in_workspace(workspace)
    return user, get_object_or_404(rows.select_related("workspace", "user"), pk=key)


def _own(request: HttpRequest, key: uuid.UUID) -> tuple[User, Conversation]:
    user, talk = _talk(request, key)
    if talk.user_id != user.pk:
        raise Http404
    return user, talk


@router.get("/conversations", response=answers({200: schemas.Conversations}))
def conversations_list(
    request: HttpRequest,
    paging: Query[Paging],
    shared: Annotated[
        bool, QueryEx(False, description="those that others share, not one's own")
    ] = False,
) -> Any:
    user, workspace = member_of(request)
    found = talks_shared(user, workspace) if shared else talks_of(user, workspace)
    rows, told = page_of(found.select_related("user"), paging)
    return {**told, "items": [talk_shown(talk, talk.questions) for talk in rows]}


@router.get(ONE, response=answers({200: schemas.ConversationDetail}))
def conversation_get(
    request: HttpRequest, conversation_id: uuid.UUID, paging: Query[Paging]
) -> Any:
    """A conversation with a page of its questions, the first one first."""
    user, talk = _talk(request, conversation_id)
    turns = turns_of(talk, user).select_related("workspace", "user")
    rows, told = page_of(turns, paging)
    shown = talk_shown(talk, told["count"])
    return {**told, "conversation": shown, "items": [run_shown(turn, user) for turn in rows]}


@router.patch(ONE, response=answers({200: schemas.Conversation}))
def conversation_change(
    request: HttpRequest, conversation_id: uuid.UUID, body: schemas.ConversationChange
) -> Any:
    """Rename it, or share it with the workspace."""
    user, talk = _own(request, conversation_id)
    if body.title is not None:
        conversation_rename(conversation=talk, user=user, title=body.title)
    if body.shared is not None:
        conversation_share(conversation=talk, user=user, shared=body.shared)
    return talk_shown(talk, turns_of(talk, user).count())


@router.delete(ONE, response=answers({204: None}))
def conversation_remove(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """What was asked in it stays among the traces."""
    user, talk = _own(request, conversation_id)
    conversation_delete(conversation=talk, user=user)
    return HttpResponse(status=204)


@router.get(
    f"{ONE}/export",
    response=answers({200: str}),
    openapi_extra={"responses": {200: {"description": "Markdown.", "content": MARKDOWN}}},
)
def conversation_export(request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """The conversation as Markdown."""
    user, talk = _talk(request, conversation_id)
    return HttpResponse(markdown_of(talk, user), content_type="text/markdown; charset=utf-8")
