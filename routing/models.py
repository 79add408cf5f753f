"""Routes, the anchors that describe them, their history, and what each store is known to hold."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from teams.access import ScopedQuerySet
from teams.models import Workspace


class Route(models.Model):
    name = models.SlugField(primary_key=True)
    label = models.CharField(max_length=60)
    description = models.TextField(blank=True)
    enabled = models.BooleanField(default=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return self.label


class Anchor(models.Model):
    """A sentence that a route stands for. Without a workspace it serves every workspace."""

    route = models.ForeignKey(Route, on_delete=models.CASCADE, related_name="anchors")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, null=True, blank=True)
    language = models.CharField(max_length=5)
    text = models.CharField(max_length=300)
    active = models.BooleanField(default=True)
    vector = VectorField(null=True, editable=False)
    embedder = models.CharField(max_length=120, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["route", "language", "text"]
        constraints = [
            models.UniqueConstraint(
                fields=["route", "workspace", "text"], name="anchor_once", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return self.text


class Revision(models.Model):
    """A state of the anchors and thresholds as a whole. Decisions name the one they were taken under."""

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    reason = models.CharField(max_length=300)
    snapshot = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"r{self.pk} {self.reason}"


class Thresholds(models.Model):
    """Bounds of the cosine stage. They belong to one embedder; the newest row of it is in force."""

    embedder = models.CharField(max_length=120)
    tau_high = models.FloatField(help_text=_("take the best route at or above this score"))
    tau_low = models.FloatField(
        help_text=_("below this cosine with the nearest anchor the text store is asked")
    )
    delta = models.FloatField(help_text=_("smallest margin between the two best routes"))
    source = models.CharField(max_length=200, help_text=_("where the figures come from"))
    curve = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "thresholds"

    def __str__(self) -> str:
        return f"{self.embedder}: {self.tau_low:.3f} / {self.tau_high:.3f} / {self.delta:.3f}"


class StoreTerm(models.Model):
    """A heading, table, column or entity name that a store of a workspace holds (store evidence).

    `document_id` is the corpus' key; the row goes when that document goes.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    class Kind(models.TextChoices):
        HEADING = "heading"
        TABLE = "table"
        COLUMN = "column"
        VALUE = "value"
        ENTITY = "entity"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    route = models.ForeignKey(Route, on_delete=models.CASCADE)
    document_id = models.UUIDField(db_index=True)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    text = models.CharField(max_length=300)
    folded = models.CharField(max_length=300)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["workspace", "folded"], name="store_term_folded")]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "route", "document_id", "kind", "folded"],
                name="store_term_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.route_id}: {self.text}"
