"""Stored traces: what was asked, what was decided with which numbers, and how long each part took."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from teams.access import ScopedQuerySet
from teams.models import Workspace


class RunState(models.TextChoices):
    RUNNING = "running", _("Running")
    DONE = "done", _("Answered")
    REFUSED = "refused", _("No answer found")
    FAILED = "failed", _("Failed")
    INTERRUPTED = "interrupted", _("Interrupted")


class Conversation(models.Model):
    """Questions of one person that follow each other. Shared, the whole workspace may read it."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    OWNER_PATH: ClassVar[str] = "user"
    SHARED_PATH: ClassVar[str] = "shared"
    TITLE: ClassVar[int] = 120

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="conversations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations"
    )
    title = models.CharField(max_length=TITLE)
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    asked_at = models.DateTimeField(default=timezone.now, help_text="when its last question came")

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-asked_at"]
        indexes = [
            models.Index(fields=["workspace", "user", "-asked_at"], name="conversation_user_time"),
        ]

    def __str__(self) -> str:
        return self.title


class Trace(models.Model):
    """One run of one question. The row exists before the work starts and is settled when it ends."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_FREE: ClassVar[str] = "what it holds is shown through telemetry.narrowing alone"
    OWNER_PATH: ClassVar[str] = "user"
    SHARED_PATH: ClassVar[str] = "conversation__shared"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="traces")
    # A conversation that is deleted leaves its traces to those who audit.
    conversation = models.ForeignKey(
        Conversation, on_delete=models.SET_NULL, null=True, blank=True, related_name="turns"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="traces"
    )
    question = models.TextField()
    resolved = models.TextField(
        blank=True, help_text="what was asked, where the question leant on those before it"
    )
    language = models.CharField(max_length=5, blank=True)
    options = models.JSONField(
        default=dict, blank=True, help_text="what was chosen for this question; empty: the defaults"
    )
    state = models.CharField(max_length=12, choices=RunState.choices, default=RunState.RUNNING)
    route = models.CharField(max_length=60, blank=True, help_text="routes taken, joined by +")
    stage = models.CharField(max_length=60, blank=True)
    top_score = models.FloatField(null=True)
    margin = models.FloatField(null=True)
    restricted = ArrayField(
        models.UUIDField(),
        default=list,
        blank=True,
        help_text="documents that the asker could read then and not everybody",
    )
    parts = models.JSONField(default=list, help_text="one entry per clause: decision and hits")
    answer = models.JSONField(default=dict)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    tokens_estimated = models.BooleanField(
        default=False, help_text="a model server counted none, so tokens are estimates"
    )
    cost = models.DecimalField(
        null=True,
        max_digits=14,
        decimal_places=6,
        help_text="by the prices at that time; empty where none were set",
    )
    placement = models.JSONField(
        default=dict, blank=True, help_text="where it was to be answered and why; empty: no choice"
    )
    engine = models.CharField(max_length=120, blank=True, help_text="the engines that wrote")
    remote = models.BooleanField(default=False, help_text="whether one of them was an API's")
    cached = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    alive_at = models.DateTimeField(
        default=timezone.now, help_text="when the process that answers last said that it does"
    )
    ended_at = models.DateTimeField(null=True)
    duration_ms = models.FloatField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at"]
        indexes = [
            models.Index(fields=["workspace", "-started_at"], name="trace_workspace_time"),
            models.Index(fields=["workspace", "user", "-started_at"], name="trace_user_time"),
        ]

    def __str__(self) -> str:
        return f"{self.question[:60]} ({self.state})"


class Span(models.Model):
    ACCESS_PATH: ClassVar[str] = "trace__workspace"
    OWNER_PATH: ClassVar[str] = "trace__user"
    SHARED_PATH: ClassVar[str] = "trace__conversation__shared"

    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="spans")
    span_id = models.CharField(max_length=16)
    parent_id = models.CharField(max_length=16, blank=True)
    name = models.CharField(max_length=60)
    offset_ms = models.FloatField(help_text="start, counted from the start of the run")
    duration_ms = models.FloatField()
    failed = models.BooleanField(default=False)
    attributes = models.JSONField(default=dict)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["offset_ms", "pk"]

    def __str__(self) -> str:
        return f"{self.name} {self.duration_ms:.1f} ms"


class RunEvent(models.Model):
    """One typed event of a run, in order, so that a page that reconnects can resume after `seq`."""

    ACCESS_PATH: ClassVar[str] = "trace__workspace"
    OWNER_PATH: ClassVar[str] = "trace__user"
    SHARED_PATH: ClassVar[str] = "trace__conversation__shared"

    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=30)
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["seq"]
        constraints = [
            models.UniqueConstraint(fields=["trace", "seq"], name="run_event_sequence"),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"
