"""Themes: passages that belong together, and what they were made from."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from teams.access import ScopedQuerySet
from teams.models import Workspace


class ThemesState(models.Model):
    """What the themes of a workspace were made from, and whether a job to make them waits."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_FREE: ClassVar[str] = "told only as a count of documents that the reader may read"

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="themes")
    versions = models.JSONField(default=dict, help_text="key of the version, by the document's")
    embedder = models.CharField(max_length=120, blank=True)
    names = models.CharField(max_length=64, blank=True, help_text="digest of which names are one")
    made_at = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(null=True, help_text="a job waits since then")
    told = models.BooleanField(default=False, help_text="the summaries are written, or given up")

    objects = ScopedQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Themes of {self.workspace}"


class Community(models.Model):
    """Passages that belong together: a theme. It may be shown only by what stands in readable ones.

    Its key is the digest of its passages' keys, so the same passages are the same theme. The summary is
    a generator's, over the passages of the first `summary_sources` positions, which are its markers.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[str] = "members__chunk__document"
    # So many passages have a position and a sentence.
    CENTRAL: ClassVar[int] = 6

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="communities")
    key = models.CharField(max_length=64)
    level = models.PositiveSmallIntegerField(default=0)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="parts")
    terms = models.JSONField(default=list, help_text="what could name it, most distinctive first")
    summary = models.TextField(blank=True)
    summary_sources = models.PositiveSmallIntegerField(default=0)
    summary_model = models.CharField(max_length=120, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["level", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "key"], name="community_once"),
        ]
        verbose_name_plural = "communities"

    def __str__(self) -> str:
        return ", ".join(self.terms[:3])


class CommunityChunk(models.Model):
    """A passage of a theme with its most central sentence, if it has a place among the central ones."""

    ACCESS_PATH: ClassVar[str] = "chunk__workspace"
    DOCUMENT_PATH: ClassVar[str] = "chunk__document"

    community = models.ForeignKey(Community, on_delete=models.CASCADE, related_name="members")
    chunk = models.ForeignKey("corpus.Chunk", on_delete=models.CASCADE, related_name="communities")
    position = models.PositiveIntegerField(null=True, help_text="from 1 by centrality")
    weight = models.FloatField(default=0.0, help_text="how much it is about the theme")
    sentence = models.TextField(blank=True)
    terms = ArrayField(
        models.PositiveSmallIntegerField(),
        default=list,
        help_text="which of the theme's terms stand in the passage",
    )

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["position", "-weight", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["community", "chunk"], name="community_chunk_once"),
        ]

    def __str__(self) -> str:
        return f"{self.chunk} in {self.community}"
