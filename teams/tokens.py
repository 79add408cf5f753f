"""Writes of service tokens, and finding the one that a request shows."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from teams.access import Acting, Right, acting_now, holds, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.models import ServiceToken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from teams.models import User, Workspace

# Scanners of leaked secrets find a token by it.
PREFIX = "polyrag_"
SECRET_BYTES = 32
HINT = len(PREFIX) + 4
DAYS_MOST = 366
USED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Minted:
    """A new token with its secret, which is nowhere else and is shown once."""

    token: ServiceToken
    secret: str


@transaction.atomic
def token_create(
    *, workspace: Workspace, user: User, name: str, scopes: Iterable[str], days: int
) -> Minted:
    """A token of `user` that expires after `days` (1 to 366). Every token may see; `scopes` add to that.

    Raises PermissionDenied for a scope that the person does not hold, and for whoever acts by a token
    already; ValueError for days out of range.
    """
    if acting_now() is not None:
        raise PermissionDenied("A token cannot make tokens.")
    if not 1 <= days <= DAYS_MOST:
        raise ValueError(f"A token lasts 1 to {DAYS_MOST} days, not {days}.")
    wanted = {Right.SEE} | {Right(scope) for scope in scopes}
    for right in wanted:
        require(user, workspace, right)
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    token = ServiceToken.objects.create(
        workspace=workspace,
        user=user,
        name=name,
        digest=_digest(secret),
        hint=secret[:HINT],
        scopes=[right.value for right in Right if right in wanted],
        expires_at=timezone.now() + timedelta(days=days),
    )
    details = {"token": str(token.pk), "scopes": token.scopes, "days": days}
    _told(AuditAction.TOKEN_CREATED, token, user, details)
    return Minted(token, secret)


@transaction.atomic
def token_revoke(*, token: ServiceToken, user: User) -> bool:
    """End a token of one's own, or any of the workspace with the right to manage it; at once, for good.

    Gives whether this ended it. Raises PermissionDenied.
    """
    if token.user_id != user.pk and not holds(user, token.workspace, Right.MANAGE):
        raise PermissionDenied
    if acting_now() is not None:
        raise PermissionDenied("A token cannot end tokens.")
    open_ones = ServiceToken.objects.filter(pk=token.pk, revoked_at=None)
    if not open_ones.update(revoked_at=timezone.now()):
        return False
    details = {"token": str(token.pk), "owner": token.user_id}
    _told(AuditAction.TOKEN_REVOKED, token, user, details)
    return True


def token_found(secret: str) -> ServiceToken | None:
    """The live token of this secret, with its owner; None for any other text."""
    if not secret.startswith(PREFIX):
        return None
    rows = ServiceToken.objects.live().filter(digest=_digest(secret))
    found: ServiceToken | None = rows.select_related("user", "workspace").first()
    return found


def token_used(*, token: ServiceToken) -> None:
    """Note that it was used, at most once a minute, so that a busy program does not write all the time."""
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at < USED_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
    ServiceToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def acting_by(token: ServiceToken) -> Acting:
    """What `teams.access.acting` takes. Scopes of a right that is no more are left out."""
    known = {right.value: right for right in Right}
    rights = frozenset(known[scope] for scope in token.scopes if scope in known)
    return Acting(token.pk, token.user_id, token.workspace_id, rights)


def _digest(secret: str) -> str:
    """SHA-256 is enough for 256 random bits: there is nothing to guess, and each request looks it up."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _told(action: AuditAction, token: ServiceToken, user: User, details: dict[str, object]) -> None:
    audit_record(
        action=action, actor=user, workspace=token.workspace, target=token.name, details=details
    )
