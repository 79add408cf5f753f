"""Conversations: begun by a question, kept turn by turn, changed by the one who asks in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.utils import timezone

from teams.access import Right, require
from telemetry.models import Conversation, Trace

if TYPE_CHECKING:
    from teams.models import User, Workspace


def conversation_go_on(
    *, workspace: Workspace, user: User, question: str, conversation: Conversation | None
) -> Conversation:
    """The conversation that a question of `user` goes to: a new one, called by it, where none is given.

    Raises PermissionDenied for one of somebody else or of another workspace, shared or not.
    """
    require(user, workspace, Right.ASK)
    if conversation is None:
        title = " ".join(question.split())[: Conversation.TITLE]
        made: Conversation = Conversation.objects.create(
            workspace=workspace, user=user, title=title
        )
        return made
    _require_own(conversation, user)
    if conversation.workspace_id != workspace.pk:
        raise PermissionDenied
    conversation.asked_at = timezone.now()
    conversation.save(update_fields=["asked_at"])
    return conversation


def conversation_rename(*, conversation: Conversation, user: User, title: str) -> bool:
    """Give it another title; gives whether there was one: an empty title changes nothing."""
    _require_own(conversation, user)
    plain = " ".join(title.replace("\x00", "").split())[: Conversation.TITLE]
    if not plain:
        return False
    conversation.title = plain
    conversation.save(update_fields=["title"])
    return True


def conversation_share(*, conversation: Conversation, user: User, shared: bool) -> None:
    """Let all who may see the workspace read it, or only its owner again. At once, on every road."""
    _require_own(conversation, user)
    conversation.shared = shared
    conversation.save(update_fields=["shared"])


def conversation_delete(*, conversation: Conversation, user: User) -> None:
    """Remove it with its sharing. What was asked stays under the traces, for their owner and for audit."""
    _require_own(conversation, user)
    conversation.delete()


def turns_before(trace: Trace, most: int) -> list[Trace]:
    """The last `most` turns before `trace` in its conversation that have ended, oldest first."""
    if trace.conversation_id is None:
        return []
    earlier = Trace.objects.filter(
        conversation_id=trace.conversation_id, user_id=trace.user_id, ended_at__isnull=False
    ).exclude(pk=trace.pk)
    return list(earlier.filter(started_at__lt=trace.started_at).order_by("-started_at")[:most])[
        ::-1
    ]


def _require_own(conversation: Conversation, user: User) -> None:
    if conversation.user_id != user.pk:
        raise PermissionDenied
    require(user, conversation.workspace, Right.ASK)
