"""Workspaces as their owners handle them: opened, renamed, deleted; each written to the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction

from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.services import workspace_create, workspace_delete

if TYPE_CHECKING:
    from teams.models import User, Workspace


def may_open(user: User) -> bool:
    """Whether this person may make workspaces (POLYRAG_WORKSPACES_BY_ANYBODY)."""
    return user.is_active and (settings.WORKSPACES_BY_ANYBODY or user.is_staff)


@transaction.atomic
def workspace_open(*, name: str, user: User) -> Workspace:
    """A new workspace with `user` as its owner. Raises PermissionDenied for who may make none."""
    if not may_open(user):
        raise PermissionDenied("Only the staff of this instance makes workspaces.")
    made = workspace_create(name=name, owner=user)
    audit_record(action=AuditAction.WORKSPACE_CREATED, actor=user, workspace=made, target=made.name)
    return made


@transaction.atomic
def workspace_rename(*, workspace: Workspace, name: str, user: User) -> None:
    """Another name; the slug, by which commands know it, stays."""
    require(user, workspace, Right.MANAGE)
    before, workspace.name = workspace.name, name
    workspace.save(update_fields=["name"])
    audit_record(
        action=AuditAction.WORKSPACE_RENAMED,
        actor=user,
        workspace=workspace,
        target=name,
        details={"from": before},
    )


@transaction.atomic
def workspace_close(*, workspace: Workspace, user: User) -> None:
    """Delete a workspace with everything in it. Its entries in the audit log stay."""
    require(user, workspace, Right.MANAGE)
    audit_record(
        action=AuditAction.WORKSPACE_DELETED,
        actor=user,
        workspace=workspace,
        target=workspace.name,
        details={"slug": workspace.slug, "key": str(workspace.pk)},
    )
    workspace_delete(workspace=workspace)
