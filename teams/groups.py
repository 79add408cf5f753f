"""Writes of groups, and of who may download: for those who curate, or manage, the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from teams.access import Right, require
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.models import Group, Membership

if TYPE_CHECKING:
    from collections.abc import Iterable

    from teams.models import User, Workspace


class GroupRefused(Exception):
    """The group was not made or changed; the text says why."""


@transaction.atomic
def group_create(*, workspace: Workspace, user: User, name: str) -> Group:
    """A group without members. Raises GroupRefused for a name that is empty or taken, and
    PermissionDenied without the right to curate."""
    require(user, workspace, Right.CURATE)
    group = Group(workspace=workspace, name=_plain(name))
    _save(group)
    _told(group, user, "created")
    return group


@transaction.atomic
def group_rename(*, group: Group, user: User, name: str) -> None:
    """Raises as `group_create` does."""
    require(user, group.workspace, Right.CURATE)
    group.name = _plain(name)
    _save(group)
    _told(group, user, "renamed")


@transaction.atomic
def group_members_set(*, group: Group, user: User, members: Iterable[int]) -> None:
    """Make these memberships, by their keys, the members; those of other workspaces are left out.

    What the group's documents hold is readable to whom it now is, at once.
    """
    require(user, group.workspace, Right.CURATE)
    before = set(group.members.values_list("user__username", flat=True))
    group.members.set(Membership.objects.filter(workspace=group.workspace, pk__in=list(members)))
    after = set(group.members.values_list("user__username", flat=True))
    if before != after:
        _told(group, user, "members", added=sorted(after - before), removed=sorted(before - after))


@transaction.atomic
def group_delete(*, group: Group, user: User) -> None:
    """Its documents are then read by their other groups, and by those who uploaded them."""
    require(user, group.workspace, Right.CURATE)
    _told(group, user, "deleted")
    group.delete()


@transaction.atomic
def download_allow(*, membership: Membership, user: User, allowed: bool) -> None:
    """Let a member download originals, or only see and ask. For those who manage the workspace."""
    require(user, membership.workspace, Right.MANAGE)
    membership.download = allowed
    membership.save(update_fields=["download"])
    audit_record(
        action=AuditAction.DOWNLOAD_CHANGED,
        actor=user,
        workspace=membership.workspace,
        target=membership.user.username,
        details={"allowed": allowed},
    )


def _plain(name: str) -> str:
    plain = " ".join(name.replace("\x00", "").split())
    if not plain:
        raise GroupRefused(_("A group needs a name."))
    if len(plain) > Group.NAME:
        raise GroupRefused(
            _("A group's name has at most %(most)d characters.") % {"most": Group.NAME}
        )
    return plain


def _save(group: Group) -> None:
    try:
        with transaction.atomic():
            group.save()
    except IntegrityError as error:
        raise GroupRefused(
            _("There is a group called “%(name)s” already.") % {"name": group.name}
        ) from error


def _told(group: Group, user: User, what: str, **details: list[str]) -> None:
    audit_record(
        action=AuditAction.GROUP_CHANGED,
        actor=user,
        workspace=group.workspace,
        target=group.name,
        details={"what": what, **details},
    )
