"""People, the workspaces they share, and what each may do there."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from teams.access import Right, ScopedQuerySet
from teams.audit_models import AuditEntry as AuditEntry
from teams.quota_models import Quota as Quota
from teams.quota_models import RateCount as RateCount
from teams.token_models import ServiceToken as ServiceToken


class User(AbstractUser):
    """A person who signs in. Rights come from memberships, never from this row."""


class Role(models.TextChoices):
    READER = "reader", _("Reader")
    CONTRIBUTOR = "contributor", _("Contributor")
    CURATOR = "curator", _("Curator")
    AUDITOR = "auditor", _("Auditor")
    OWNER = "owner", _("Owner")


class Workspace(models.Model):
    ACCESS_PATH: ClassVar[str] = "pk"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    slug = models.SlugField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def schema_name(self) -> str:
        """The PostgreSQL schema that holds this workspace's ingested tables."""
        return f"ws_{self.pk.hex}"

    @property
    def reader_role(self) -> str:
        """The PostgreSQL role that may read that schema and nothing else."""
        return f"ws_{self.pk.hex}_reader"


class Membership(models.Model):
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.READER)
    download = models.BooleanField(
        default=True, help_text=_("May download originals, where the role gives that right.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.workspace} · {self.role}"


class Invitation(models.Model):
    """A link that makes whoever opens it a member, once. Only the hash of its token is kept."""

    ACCESS_PATH: ClassVar[str] = "workspace"

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        ACCEPTED = "accepted", _("Accepted")
        REVOKED = "revoked", _("Taken back")
        EXPIRED = "expired", _("Expired")

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role.choices)
    email = models.EmailField(blank=True, help_text="whom it is meant for, as a note")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="invitations_made"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="invitations_accepted"
    )
    revoked_at = models.DateTimeField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.workspace} · {self.role} · {self.state}"

    @property
    def state(self) -> str:
        if self.accepted_at:
            return self.State.ACCEPTED
        if self.revoked_at:
            return self.State.REVOKED
        return self.State.EXPIRED if self.expires_at <= timezone.now() else self.State.OPEN

    @property
    def state_label(self) -> str:
        return str(self.State(self.state).label)


class Group(models.Model):
    """People of a workspace under a name, so that documents can be shown to them alone.

    Its members are memberships: who leaves the workspace is in none of its groups when they return.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"
    NAME: ClassVar[int] = 60

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="groups")
    name = models.CharField(max_length=NAME)
    members = models.ManyToManyField(Membership, blank=True, related_name="groups")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="group_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


ROLE_RIGHTS: dict[str, frozenset[Right]] = {
    Role.READER: frozenset({Right.SEE, Right.ASK, Right.DOWNLOAD}),
    Role.CONTRIBUTOR: frozenset({Right.SEE, Right.ASK, Right.DOWNLOAD, Right.UPLOAD}),
    Role.CURATOR: frozenset({Right.SEE, Right.ASK, Right.DOWNLOAD, Right.UPLOAD, Right.CURATE}),
    Role.AUDITOR: frozenset({Right.SEE, Right.ASK, Right.DOWNLOAD, Right.AUDIT}),
    Role.OWNER: frozenset(Right),
}
