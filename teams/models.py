"""People, the workspaces they share, and what each may do there."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from teams.access import Right, ScopedQuerySet
from teams.audit_models import AuditEntry as AuditEntry
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
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.workspace} · {self.role}"


ROLE_RIGHTS: dict[str, frozenset[Right]] = {
    Role.READER: frozenset({Right.SEE, Right.ASK}),
    Role.CONTRIBUTOR: frozenset({Right.SEE, Right.ASK, Right.UPLOAD}),
    Role.CURATOR: frozenset({Right.SEE, Right.ASK, Right.UPLOAD, Right.CURATE}),
    Role.AUDITOR: frozenset({Right.SEE, Right.ASK, Right.AUDIT}),
    Role.OWNER: frozenset(Right),
}
