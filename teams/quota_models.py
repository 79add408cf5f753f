"""How much a workspace, and one person in it, may use. A row says what differs from the settings."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from teams.access import ScopedQuerySet


class Quota(models.Model):
    """Limits of a whole workspace (`user` None) or of one person in it.

    None takes the settings' default (QUOTAS), 0 is no limit. Days and months are those of the server's
    time zone.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    workspace = models.ForeignKey(
        "teams.Workspace", on_delete=models.CASCADE, related_name="quotas"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    uploads = models.PositiveBigIntegerField(null=True, help_text="a day")
    storage = models.PositiveBigIntegerField(null=True, help_text="bytes")
    questions = models.PositiveBigIntegerField(null=True, help_text="a day")
    tokens = models.PositiveBigIntegerField(null=True, help_text="a month, read and written")

    objects = ScopedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "user"], name="quota_once", nulls_distinct=False
            ),
        ]

    def __str__(self) -> str:
        return f"{self.workspace} · {self.user or 'all'}"


class RateCount(models.Model):
    """How many requests a token, a person or an address made in the minute `window`."""

    key = models.CharField(max_length=80, primary_key=True)
    window = models.BigIntegerField(db_index=True)
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.key} {self.count}"
