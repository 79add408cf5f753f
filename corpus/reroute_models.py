"""Jobs that decided the routes of stored passages anew, and what stood before."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from teams.access import ScopedQuerySet
from teams.models import Workspace


class RerouteState(models.TextChoices):
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    UNDOING = "undoing", _("Being undone")
    UNDONE = "undone", _("Undone")


OPEN = (RerouteState.RUNNING, RerouteState.UNDOING)


class Reroute(models.Model):
    """One job. `done` of `total` documents are settled; `cursor` is the last of them, by key."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_FREE: ClassVar[str] = "its figures are shown only as far as its changes are readable"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    reason = models.CharField(max_length=300)
    revision = models.PositiveIntegerField(default=0, help_text="of the anchors, at the start")
    state = models.CharField(
        max_length=8, choices=RerouteState.choices, default=RerouteState.RUNNING
    )
    cursor = models.UUIDField(null=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    moved = models.PositiveIntegerField(default=0, help_text="passages with another route")
    foreign = models.PositiveIntegerField(default=0, help_text="left: vector of another embedder")
    left = models.PositiveIntegerField(
        default=0, help_text="left by the undoing: changed meanwhile"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace"],
                condition=models.Q(state__in=["running", "undoing"]),
                name="reroute_one_running",
            )
        ]

    def __str__(self) -> str:
        return f"{self.workspace}: {self.reason}"


class RerouteChange(models.Model):
    """What one passage was before the job. `chunk` is empty once the passage was read anew."""

    ACCESS_PATH: ClassVar[str] = "reroute__workspace"
    DOCUMENT_KEY: ClassVar[str] = "document_id"

    reroute = models.ForeignKey(Reroute, on_delete=models.CASCADE, related_name="changes")
    document_id = models.UUIDField()
    chunk = models.ForeignKey("corpus.Chunk", on_delete=models.SET_NULL, null=True)
    old_route = models.CharField(max_length=20)
    old_decision = models.JSONField(default=dict)
    new_route = models.CharField(max_length=20)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["reroute", "document_id"], name="reroute_document")]
        constraints = [
            models.UniqueConstraint(fields=["reroute", "chunk"], name="reroute_chunk_once")
        ]

    def __str__(self) -> str:
        return f"{self.chunk_id}: {self.old_route} → {self.new_route}"
