"""What people said of answers from tables: right or wrong."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from pgvector.django import VectorField

from teams.access import ScopedQuerySet
from teams.models import Workspace
from telemetry.models import Trace


class SqlVerdictQuerySet(ScopedQuerySet):
    def agreed(self) -> Any:
        """Those that somebody found right and nobody wrong: of the same question and statement."""
        wrong = SqlVerdict.objects.filter(
            workspace=models.OuterRef("workspace"),
            question=models.OuterRef("question"),
            sql=models.OuterRef("sql"),
            right=False,
        )
        return self.filter(models.Q(right=True) & ~models.Exists(wrong))


class SqlVerdict(models.Model):
    """One person's word on one answer. The statement names tables; it is only handed on to people who may
    read all of them."""

    ACCESS_PATH: ClassVar[str] = "workspace"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    trace = models.ForeignKey(Trace, on_delete=models.SET_NULL, null=True, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="of the part in its message, from 0")
    right = models.BooleanField()
    question = models.TextField()
    language = models.CharField(max_length=5)
    sql = models.TextField()
    embedding = VectorField(null=True)
    embedder = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SqlVerdictQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["trace", "position", "user"], name="sql_verdict_once"),
        ]
        indexes = [models.Index(fields=["workspace", "right"], name="sql_verdict_workspace")]

    def __str__(self) -> str:
        return f"{'right' if self.right else 'wrong'}: {self.question[:60]}"
