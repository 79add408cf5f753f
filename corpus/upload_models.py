"""Keys under which programs send uploads, for a day."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from teams.access import ScopedQuerySet
from teams.models import Workspace


class UploadKey(models.Model):
    ACCESS_PATH: ClassVar[str] = "workspace"
    OWNER_PATH: ClassVar[str] = "user"
    DOCUMENT_FREE: ClassVar[str] = (
        "it is its owner's own word on what they sent, asked for by its key"
    )

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the name and the bytes")
    document = models.ForeignKey(
        "corpus.Document", on_delete=models.CASCADE, null=True, related_name="+"
    )
    outcome = models.CharField(max_length=10, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user", "key"], name="upload_key_once"),
        ]

    def __str__(self) -> str:
        return self.key
