"""Service tokens: what a program shows to act for a person in one workspace."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from teams.access import ScopedQuerySet


class ServiceTokenQuerySet(ScopedQuerySet):
    def live(self) -> Any:
        """Those that still open anything: not revoked, not expired, and of an account that is on."""
        return self.filter(revoked_at=None, expires_at__gt=timezone.now(), user__is_active=True)


class ServiceToken(models.Model):
    """The secret is never stored: `digest` is its SHA-256 in hexadecimal, `hint` its first letters.

    `scopes` are values of `Right`. A token has those of them that its owner holds in the workspace now.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"
    OWNER_PATH: ClassVar[str] = "user"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(
        "teams.Workspace", on_delete=models.CASCADE, related_name="tokens"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens"
    )
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=20)
    scopes = ArrayField(models.CharField(max_length=20))
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ServiceTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()
