from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import VectorField

from retrieval.verdict_models import SqlVerdict as SqlVerdict
from teams.access import ScopedQuerySet
from teams.models import Workspace


class CachedAnswer(models.Model):
    """An answer that may be given again, only inside the workspace and while its sources stand.

    `scope` is a digest of what the asker could read; `versions` are the document versions cited. `key`
    is a digest of all that two questions must share exactly, so that the few that can answer are found by
    the index. `variant` are the options that the question was asked with.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_FREE: ClassVar[str] = (
        "found only by a digest of the documents that its reader may read"
    )

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=64)
    key = models.CharField(max_length=64, default="")
    variant = models.TextField(default="", blank=True)
    question = models.TextField()
    folded = models.TextField()
    vector = VectorField()
    embedder = models.CharField(max_length=120)
    guard = models.JSONField(default=dict, help_text="all that another question must agree in")
    versions = ArrayField(models.UUIDField(), default=list)
    parts = models.JSONField(default=list)
    answer = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "scope", "key"], name="cached_answer_key"),
            models.Index(fields=["workspace", "user"], name="cached_answer_author"),
        ]

    def __str__(self) -> str:
        return self.question[:80]
