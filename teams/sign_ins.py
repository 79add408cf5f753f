"""Writes sign-ins, failed sign-ins and sign-outs to the audit log, whichever page they came through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

from teams.audit import address_of, audit_record
from teams.audit_models import AuditAction

if TYPE_CHECKING:
    from django.http import HttpRequest

    from teams.models import User


def connect() -> None:
    """Listen to Django's own signals; calling it again changes nothing."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit-signed-in")
    user_logged_out.connect(_signed_out, dispatch_uid="audit-signed-out")
    user_login_failed.connect(_failed, dispatch_uid="audit-failed")


def _signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    audit_record(action=AuditAction.SIGNED_IN, actor=user, address=_address(request))


def _signed_out(request: HttpRequest, user: User | None, **_: Any) -> None:
    if user is not None:
        audit_record(action=AuditAction.SIGNED_OUT, actor=user, address=_address(request))


def _failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """The name that was tried is kept, never the password, which Django has masked already."""
    audit_record(
        action=AuditAction.SIGN_IN_FAILED,
        actor=None,
        target=str(credentials.get("username") or ""),
        address=_address(request),
    )


def _address(request: HttpRequest | None) -> str | None:
    return address_of(request) if request is not None else None
