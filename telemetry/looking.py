"""Looking at what somebody else asked is itself written to the audit log."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from teams.audit import audit_record
from teams.audit_models import AuditAction, AuditEntry

if TYPE_CHECKING:
    from teams.models import User, Workspace
    from telemetry.models import Trace

# One entry says it for so long.
QUIET = timedelta(hours=1)
LIST = "list"


def look_record(*, trace: Trace, user: User) -> None:
    """Note that `user` read a trace of somebody else; once an hour. What its owner shares is not noted."""
    if trace.user_id == user.pk:
        return
    if trace.conversation is not None and trace.conversation.shared:
        return
    _record(user, trace.workspace, str(trace.pk))


def list_record(*, workspace: Workspace, user: User) -> None:
    """Note that `user` read the list of everybody's questions; once an hour."""
    _record(user, workspace, LIST)


def _record(user: User, workspace: Workspace, target: str) -> None:
    since = timezone.now() - QUIET
    told = AuditEntry.objects.filter(
        workspace=workspace,
        actor=user,
        action=AuditAction.READ_TRACE,
        target=target,
        created_at__gte=since,
    )
    if not told.exists():
        audit_record(action=AuditAction.READ_TRACE, actor=user, workspace=workspace, target=target)
