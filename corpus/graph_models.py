"""The graph: entities, where they stand, the facts between them, and which of them are one thing."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from teams.access import ScopedQuerySet
from teams.models import Workspace


class Entity(models.Model):
    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[str] = "mentions__chunk__document"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="entities")
    name = models.CharField(max_length=200)
    folded = models.CharField(max_length=200)
    embedding = VectorField(null=True)
    embedder = models.CharField(max_length=120, blank=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "folded"], name="entity_once"),
        ]
        verbose_name_plural = "entities"

    def __str__(self) -> str:
        return self.name


class Mention(models.Model):
    """An entity stands in a chunk. An entity without mentions goes."""

    ACCESS_PATH: ClassVar[str] = "chunk__workspace"
    DOCUMENT_PATH: ClassVar[str] = "chunk__document"

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="mentions")
    chunk = models.ForeignKey("corpus.Chunk", on_delete=models.CASCADE, related_name="mentions")

    objects = ScopedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entity", "chunk"], name="mention_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entity} in {self.chunk}"


class Relation(models.Model):
    """A fact between two entities, said by one chunk; it goes with that chunk."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[str] = "chunk__document"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="relations")
    subject = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="outgoing")
    predicate = models.CharField(max_length=80)
    object = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="incoming")
    chunk = models.ForeignKey("corpus.Chunk", on_delete=models.CASCADE, related_name="relations")
    sentence = models.TextField(blank=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["subject", "predicate", "object", "chunk"], name="relation_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} – {self.predicate} – {self.object}"


class EntityAlias(models.Model):
    """Two entities of a workspace that are or may be one thing: `entity` is another name of `canonical`.

    A merge rewrites no mention and no relation; who reads the graph follows the pointer, so that undoing
    it gives exactly what was there. `decided_by` is empty where the rules decided.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[tuple[str, ...]] = (
        "entity__mentions__chunk__document",
        "canonical__mentions__chunk__document",
    )

    class State(models.TextChoices):
        PROPOSED = "proposed", _("To be decided")
        MERGED = "merged", _("One and the same")
        REJECTED = "rejected", _("Kept apart")
        UNDONE = "undone", _("Separated again")

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="aliased")
    canonical = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="names")
    score = models.FloatField()
    reason = models.CharField(max_length=20)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PROPOSED)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entity", "canonical"], name="alias_once"),
            models.CheckConstraint(
                condition=~models.Q(entity=models.F("canonical")), name="alias_of_another"
            ),
        ]
        indexes = [models.Index(fields=["workspace", "state"], name="alias_by_state")]

    def __str__(self) -> str:
        return f"{self.entity} = {self.canonical}"
