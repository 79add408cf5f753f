"""Writing to the audit log, and letting old entries go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.adapter import get_adapter
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import connection, transaction

from teams.access import acting_now
from teams.audit_models import AuditAction, AuditEntry

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import AnonymousUser
    from django.http import HttpRequest

    from teams.models import User, Workspace

TARGET_CHARACTERS = 200


def audit_record(
    *,
    action: AuditAction,
    actor: User | AnonymousUser | None,
    workspace: Workspace | None = None,
    target: str = "",
    details: dict[str, Any] | None = None,
    address: str | None = None,
) -> AuditEntry:
    """Add one entry, in the caller's transaction: what is rolled back was not done.

    `workspace` None is for what belongs to no workspace (sign-ins): the person sees them, and superusers.
    `target` is cut at 200 characters. `details` must be plain JSON values; what was done by a service token
    names it there.
    """
    token = acting_now()
    by = {} if token is None else {"token": str(token.token_id)}
    return AuditEntry.objects.create(
        action=action,
        actor_id=actor.pk if actor is not None and actor.is_authenticated else None,
        workspace=workspace,
        target=target[:TARGET_CHARACTERS],
        details={**(details or {}), **by},
        address=address,
    )


def address_of(request: HttpRequest) -> str | None:
    """The address that a request came from, as the server tells it, or the last of POLYRAG_PROXIES proxies.

    None where there is none, or the proxies told fewer addresses than they are.
    """
    try:
        return str(get_adapter().get_client_ip(request))
    except (PermissionDenied, ImproperlyConfigured):
        return None


@transaction.atomic
def entries_expire(*, before: datetime) -> int:
    """Delete the entries older than `before`; the one road on which the database lets any go."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL polyrag.audit_expiry = 'on'")
        count, _ = AuditEntry.objects.filter(created_at__lt=before).delete()
        cursor.execute("SET LOCAL polyrag.audit_expiry = 'off'")
    return count
