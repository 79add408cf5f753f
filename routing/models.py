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

    ACCESS_PATH: ClassVar[str] = "workspace"

    route = models.ForeignKey(Route, on_delete=models.CASCADE, related_name="anchors")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, null=True, blank=True)
    language = models.CharField(max_length=5)
    text = models.CharField(max_length=300)
    active = models.BooleanField(default=True)
    vector = VectorField(null=True, editable=False)
    embedder = models.CharField(max_length=120, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

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
    """A state of the anchors and thresholds as a whole. Decisions name the one they were taken under.

    `workspace` is whose own anchors or bounds the change was about, empty for the shared ones. `snapshot`
    holds all that stood after it, `changes` what it added, removed and changed.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, null=True, blank=True)
    reason = models.CharField(max_length=300)
    snapshot = models.JSONField(default=dict)
    changes = models.JSONField(default=dict)
    restores = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"r{self.pk} {self.reason}"


class Thresholds(models.Model):
    """Bounds of the second stage. They belong to one embedder; the newest row of it is in force: the
    workspace's own, else the one without a workspace."""

    ACCESS_PATH: ClassVar[str] = "workspace"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, null=True, blank=True)
    embedder = models.CharField(max_length=120)
    tau_high = models.FloatField(help_text=_("take the best route at or above this score"))
    tau_low = models.FloatField(
        help_text=_("below this cosine with the nearest anchor the text store is asked")
    )
    delta = models.FloatField(help_text=_("smallest margin between the two best routes"))
    source = models.CharField(max_length=200, help_text=_("where the figures come from"))
    curve = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

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
    DOCUMENT_KEY: ClassVar[str] = "document_id"

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


class LabelledQuestion(models.Model):
    """A question and the route that a person says is right for it, of one workspace.

    Half of them, by a hash of the question, are fitted on; figures are told of the other half.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    class Split(models.TextChoices):
        FIT = "fit", _("Fitted on")
        REPORT = "report", _("Reported on")

    class Source(models.TextChoices):
        ANSWER = "answer", _("Under an answer")
        CURATOR = "curator", _("By a curator")

    class State(models.TextChoices):
        PENDING = "pending", _("Waits for review")
        ACCEPTED = "accepted", _("Accepted")
        REJECTED = "rejected", _("Rejected")

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="labelled")
    text = models.CharField(max_length=2000)
    folded = models.CharField(max_length=2000, editable=False)
    language = models.CharField(max_length=5)
    route = models.ForeignKey(Route, on_delete=models.CASCADE, related_name="+")
    taken = models.CharField(max_length=60, blank=True, help_text=_("the route that was taken"))
    split = models.CharField(max_length=6, choices=Split.choices)
    source = models.CharField(max_length=7, choices=Source.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    vector = VectorField(null=True, editable=False)
    embedder = models.CharField(max_length=120, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    reviewed_at = models.DateTimeField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "folded", "route"], name="labelled_question_once"
            )
        ]
        indexes = [models.Index(fields=["workspace", "state", "-id"], name="labelled_by_state")]

    def __str__(self) -> str:
        return f"{self.text[:80]} → {self.route_id}"
