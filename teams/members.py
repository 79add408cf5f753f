"""Who belongs to a workspace, by which role, and how that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Case, When

from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.errors import LastOwner
from teams.models import Membership, Role, Workspace

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from teams.models import User


def members_of(workspace: Workspace) -> QuerySet[Membership]:
    """The members, owners first, then by name."""
    found = Membership.objects.filter(workspace=workspace).select_related("user")
    owns = Case(When(role=Role.OWNER, then=0), default=1)
    return found.order_by(owns, "user__username")


@transaction.atomic
def membership_role_set(*, membership: Membership, role: str, actor: User) -> Membership:
    """Give a member another role, at once. Raises LastOwner when no owner would be left."""
    held = _locked(membership)
    require(actor, held.workspace, Right.MANAGE)
    if held.role == role:
        return held
    if role != Role.OWNER:
        _another_owner(held)
    before, held.role = held.role, role
    held.save(update_fields=["role"])
    audit_record(
        action=AuditAction.ROLE_CHANGED,
        actor=actor,
        workspace=held.workspace,
        target=held.user.get_username(),
        details={"from": before, "to": role},
    )
    return held


@transaction.atomic
def membership_remove(*, membership: Membership, actor: User) -> None:
    """Take a member out: an owner anybody, everybody themselves. What they brought in stays.

    Raises LastOwner when no owner would be left.
    """
    held = _locked(membership)
    leaves = held.user_id == actor.pk
    if not leaves:
        require(actor, held.workspace, Right.MANAGE)
    _another_owner(held)
    audit_record(
        action=AuditAction.LEFT if leaves else AuditAction.REMOVED,
        actor=actor,
        workspace=held.workspace,
        target=held.user.get_username(),
        details={"role": held.role},
    )
    held.delete()


def _locked(membership: Membership) -> Membership:
    """The membership as it is now. The workspace's row is locked, so that two owners who demote each
    other do so one after the other."""
    Workspace.objects.select_for_update().get(pk=membership.workspace_id)
    held: Membership = Membership.objects.select_related("workspace", "user").get(pk=membership.pk)
    return held


def _another_owner(held: Membership) -> None:
    owners = Membership.objects.filter(
        workspace=held.workspace, role=Role.OWNER, user__is_active=True
    )
    if held.role == Role.OWNER and not owners.exclude(pk=held.pk).exists():
        raise LastOwner
