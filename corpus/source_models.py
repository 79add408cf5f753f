"""Databases of others that a workspace reads tables from."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from teams.access import ScopedQuerySet
from teams.models import Workspace


class SourceState(models.TextChoices):
    IDLE = "idle", _("Not read yet")
    READING = "reading", _("Reading")
    READY = "ready", _("Read")
    FAILED = "failed", _("Failed")


class DataSource(models.Model):
    """A PostgreSQL database that curators copy chosen tables from. The password is sealed at rest.

    `tables` are the chosen ones as `schema.table`. What is copied becomes ordinary documents, which are
    read in the rights of documents and stay when the source goes.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="sources")
    name = models.SlugField(max_length=40)
    host = models.CharField(max_length=255)
    port = models.PositiveIntegerField(default=5432)
    database = models.CharField(max_length=63)
    username = models.CharField(max_length=63)
    sealed_password = models.TextField(blank=True)
    encrypted = models.BooleanField(default=True, help_text="the connection must be encrypted")
    tables = models.JSONField(default=list)
    state = models.CharField(max_length=8, choices=SourceState.choices, default=SourceState.IDLE)
    note = models.TextField(blank=True, help_text="what became of the last reading")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="source_name_once"),
        ]

    def __str__(self) -> str:
        return self.name
