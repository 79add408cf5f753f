"""Invitations by link: made, taken back, and accepted once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.errors import InvitationRefused
from teams.models import Invitation, Membership

if TYPE_CHECKING:
    from django.http import HttpRequest

    from teams.models import User, Workspace

SESSION_KEY = "invitation"


def invitation_create(
    *, workspace: Workspace, user: User, role: str, days: int, email: str = ""
) -> tuple[Invitation, str]:
    """An invitation and the token of its link. The token is told here only: its hash alone is kept."""
    require(user, workspace, Right.MANAGE)
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        made = Invitation.objects.create(
            workspace=workspace,
            role=role,
            email=email,
            created_by=user,
            token_hash=_hash(token),
            expires_at=timezone.now() + timedelta(days=days),
        )
        audit_record(
            action=AuditAction.INVITED,
            actor=user,
            workspace=workspace,
            target=email,
            details={"role": role, "days": days, "invitation": made.pk},
        )
    return made, token


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, user: User) -> None:
    """Take an open invitation back. One that is closed already stays as it is."""
    require(user, invitation.workspace, Right.MANAGE)
    held = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if held.accepted_at or held.revoked_at:
        return
    held.revoked_at = timezone.now()
    held.save(update_fields=["revoked_at"])
    audit_record(
        action=AuditAction.UNINVITED,
        actor=user,
        workspace=held.workspace,
        target=held.email,
        details={"role": held.role, "invitation": held.pk},
    )


@transaction.atomic
def invitation_accept(*, token: str, user: User) -> Membership:
    """Make `user` a member by the link's role and close the link.

    A member already keeps their role, and the link stays open for whom it was meant.
    Raises InvitationRefused when the link is unknown, used, taken back or too old.
    """
    held = (
        Invitation.objects.select_for_update(of=("self",))
        .select_related("workspace")
        .filter(token_hash=_hash(token))
        .first()
    )
    if held is None or held.state != Invitation.State.OPEN:
        raise InvitationRefused(held.state if held is not None else "")
    membership, made = Membership.objects.get_or_create(
        workspace=held.workspace, user=user, defaults={"role": held.role}
    )
    if not made:
        return membership
    held.accepted_at, held.accepted_by = timezone.now(), user
    held.save(update_fields=["accepted_at", "accepted_by"])
    audit_record(
        action=AuditAction.JOINED,
        actor=user,
        workspace=held.workspace,
        target=user.get_username(),
        details={"role": held.role, "invitation": held.pk},
    )
    return membership


def invitation_named(token: str) -> Invitation | None:
    """The invitation of this link, open or closed."""
    if not token:
        return None
    found: Invitation | None = (
        Invitation.objects.select_related("workspace", "created_by")
        .filter(token_hash=_hash(token))
        .first()
    )
    return found


def invitation_of(token: str) -> Invitation | None:
    """The invitation of this link while it still invites."""
    found = invitation_named(token)
    return found if found is not None and found.state == Invitation.State.OPEN else None


def invitation_token(request: HttpRequest) -> str:
    """The token that this browser came with, else nothing."""
    return str(request.session.get(SESSION_KEY, ""))


def invitation_keep(request: HttpRequest, token: str) -> None:
    request.session[SESSION_KEY] = token


def invitation_forget(request: HttpRequest) -> None:
    request.session.pop(SESSION_KEY, None)


def _hash(token: str) -> str:
    """Tokens are random and long, so that one round of SHA-256 without salt hides them."""
    return hashlib.sha256(token.encode()).hexdigest()
