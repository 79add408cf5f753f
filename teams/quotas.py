"""Limits in force, what is over them, and setting them. What was used is counted where it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.models import Quota

if TYPE_CHECKING:
    from collections.abc import Mapping

    from teams.models import User, Workspace

UPLOADS, STORAGE, QUESTIONS, TOKENS = KINDS = ("uploads", "storage", "questions", "tokens")
WORKSPACE, PERSON = "workspace", "person"
LOCK = 0x706F6C79


@dataclass(frozen=True, slots=True)
class Over:
    """A quota that is used up: what people read, and in how many seconds it opens again, if by itself."""

    kind: str
    message: str
    retry_after: int | None


def limits_of(workspace: Workspace, user: User | None) -> dict[str, int]:
    """The limits of a person in a workspace, or of the whole workspace (None); 0 is no limit."""
    row = Quota.objects.filter(workspace=workspace, user=user).first()
    return limits_from(row, whole=user is None)


def limits_from(row: Quota | None, *, whole: bool) -> dict[str, int]:
    """The limits that `row` and the settings make, of the whole workspace or of a person."""
    base = settings.QUOTAS[WORKSPACE if whole else PERSON]
    own = {kind: getattr(row, kind) for kind in KINDS} if row is not None else {}
    return {kind: base[kind] if own.get(kind) is None else own[kind] for kind in KINDS}


def quota_lock(workspace: Workspace) -> None:
    """Nobody else counts this workspace until the transaction ends: two cannot take the last place."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCK, str(workspace.pk)])


def day_begin() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def month_begin() -> datetime:
    return day_begin().replace(day=1)


def over(kind: str, limit: int, *, whole: bool) -> Over:
    """What is said when `limit` of `kind` is used up, by the whole workspace or by the person."""
    who = _("This workspace has") if whole else _("You have")
    said = {
        UPLOADS: _("%(who)s used up today's %(limit)d uploads. More can be uploaded tomorrow."),
        STORAGE: _(
            "%(who)s no room left: %(limit)d MB are allowed. Delete documents for good, or ask an "
            "owner for more."
        ),
        QUESTIONS: _("%(who)s used up today's %(limit)d questions. More can be asked tomorrow."),
        TOKENS: _("%(who)s used up this month's %(limit)d tokens of the language model."),
    }[kind]
    shown = limit // 1024 // 1024 if kind == STORAGE else limit
    return Over(kind, said % {"who": who, "limit": shown}, _opens(kind))


def _opens(kind: str) -> int | None:
    if kind == STORAGE:
        return None
    if kind == TOKENS:
        begin = (month_begin() + timedelta(days=32)).replace(day=1)
    else:
        begin = day_begin() + timedelta(days=1)
    return max(1, int((begin - timezone.now()).total_seconds()))


@transaction.atomic
def quota_set(
    *, workspace: Workspace, actor: User, user: User | None, limits: Mapping[str, int | None]
) -> Quota:
    """Set the limits of a person of the workspace, or of the whole (None). None in `limits`: the default.

    Raises PermissionDenied without the right to manage, ValueError for somebody who is no member.
    """
    require(actor, workspace, Right.MANAGE)
    if user is not None and not workspace.memberships.filter(user=user).exists():
        raise ValueError("Only members have a quota.")
    kept = {kind: limits.get(kind) for kind in KINDS}
    row, _made = Quota.objects.update_or_create(workspace=workspace, user=user, defaults=kept)
    audit_record(
        action=AuditAction.QUOTA_SET,
        actor=actor,
        workspace=workspace,
        target=user.get_username() if user is not None else "",
        details=dict(kept),
    )
    return row
