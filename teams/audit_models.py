"""The audit log: who did what, when, to what. Rows are added and never changed; the database refuses it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from teams.access import ScopedQuerySet


class AuditAction(models.TextChoices):
    SIGNED_IN = "signed_in", _("Signed in")
    SIGN_IN_FAILED = "sign_in_failed", _("Sign-in failed")
    SIGNED_OUT = "signed_out", _("Signed out")
    PASSWORD_CHANGED = "password_changed", _("Password changed")
    FACTOR_ADDED = "factor_added", _("Second factor added")
    FACTOR_REMOVED = "factor_removed", _("Second factor removed")
    INVITED = "invited", _("Invited")
    UNINVITED = "uninvited", _("Invitation taken back")
    JOINED = "joined", _("Joined")
    ROLE_CHANGED = "role_changed", _("Role changed")
    REMOVED = "removed", _("Member removed")
    LEFT = "left", _("Left")
    WORKSPACE_CREATED = "workspace_created", _("Workspace created")
    WORKSPACE_RENAMED = "workspace_renamed", _("Workspace renamed")
    WORKSPACE_DELETED = "workspace_deleted", _("Workspace deleted")
    UPLOADED = "uploaded", _("Uploaded")
    DELETED = "deleted", _("Deleted")
    RESTORED = "restored", _("Restored")
    SOURCE_ATTACHED = "source_attached", _("Database attached")
    SOURCE_DETACHED = "source_detached", _("Database detached")
    TOKEN_CREATED = "token_created", _("Token created")
    TOKEN_REVOKED = "token_revoked", _("Token revoked")
    QUOTA_SET = "quota_set", _("Quota set")
    ANCHORS_CHANGED = "anchors_changed", _("Anchors or thresholds changed")
    EXPORTED = "exported", _("Exported")
    READ_TRACE = "read_trace", _("Read a trace of somebody else")
    SHARED = "shared", _("Readers of a document changed")
    GROUP_CHANGED = "group_changed", _("Group changed")
    DOWNLOAD_CHANGED = "download_changed", _("Right to download changed")


class AuditEntry(models.Model):
    """One thing that somebody did.

    `workspace` and `actor` are keys without a constraint: an entry outlives both. `target` names what was
    acted on (a file's name, never its content); `details` holds plain values. A trigger
    (migration 0002) refuses every UPDATE, and every DELETE outside `teams.audit.entries_expire`.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    workspace = models.ForeignKey(
        "teams.Workspace",
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="+",
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="+",
    )
    action = models.CharField(max_length=20, choices=AuditAction.choices)
    target = models.CharField(max_length=200, blank=True)
    details = models.JSONField(default=dict)
    address = models.GenericIPAddressField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["workspace", "-id"], name="audit_by_workspace"),
            models.Index(fields=["actor", "action", "target"], name="audit_by_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M} {self.action} {self.target}"
