"""Writes what happens to a person's access to the audit log, whichever page it came through: sign-ins,
failures, sign-outs, passwords and second factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.signals import password_changed, password_reset, password_set
from allauth.mfa.signals import (
    authentication_failed,
    authenticator_added,
    authenticator_removed,
    authenticator_reset,
)
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

from teams.audit import address_of, audit_record
from teams.audit_models import AuditAction

if TYPE_CHECKING:
    from django.http import HttpRequest

    from teams.models import User


def connect() -> None:
    """Listen to Django's and allauth's signals; calling it again changes nothing."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit-signed-in")
    user_logged_out.connect(_signed_out, dispatch_uid="audit-signed-out")
    user_login_failed.connect(_failed, dispatch_uid="audit-failed")
    authentication_failed.connect(_factor_failed, dispatch_uid="audit-factor-failed")
    for told in (password_changed, password_set, password_reset):
        told.connect(_password, dispatch_uid="audit-password")
    for told in (authenticator_added, authenticator_reset):
        told.connect(_factor_added, dispatch_uid="audit-factor-added")
    authenticator_removed.connect(_factor_removed, dispatch_uid="audit-factor-removed")


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


def _factor_failed(request: HttpRequest, user: User, authenticator: Any, **_: Any) -> None:
    """The password was right and the second factor was not."""
    audit_record(
        action=AuditAction.SIGN_IN_FAILED,
        actor=None,
        target=user.get_username(),
        details={"second_factor": str(authenticator.type) if authenticator else ""},
        address=_address(request),
    )


def _password(request: HttpRequest, user: User, **_: Any) -> None:
    audit_record(action=AuditAction.PASSWORD_CHANGED, actor=user, address=_address(request))


def _factor_added(request: HttpRequest, user: User, authenticator: Any, **_: Any) -> None:
    _factor(AuditAction.FACTOR_ADDED, request, user, authenticator)


def _factor_removed(request: HttpRequest, user: User, authenticator: Any, **_: Any) -> None:
    _factor(AuditAction.FACTOR_REMOVED, request, user, authenticator)


def _factor(action: AuditAction, request: HttpRequest, user: User, authenticator: Any) -> None:
    kind = {"kind": str(authenticator.type)}
    audit_record(action=action, actor=user, details=kind, address=_address(request))


def _address(request: HttpRequest | None) -> str | None:
    return address_of(request) if request is not None else None
