"""Documents and everything that was read out of them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from corpus.graph_models import Entity as Entity
from corpus.graph_models import EntityAlias as EntityAlias
from corpus.graph_models import Mention as Mention
from corpus.graph_models import Relation as Relation
from corpus.reroute_models import Reroute as Reroute
from corpus.reroute_models import RerouteChange as RerouteChange
from corpus.source_models import DataSource as DataSource
from corpus.theme_models import Community as Community
from corpus.theme_models import CommunityChunk as CommunityChunk
from corpus.theme_models import ThemesState as ThemesState
from corpus.upload_models import UploadKey as UploadKey
from teams.access import ScopedQuerySet
from teams.models import Workspace
from teams.visibility import Restrictable


class VersionState(models.TextChoices):
    QUEUED = "queued", _("Waiting")
    READING = "reading", _("Reading")
    READY = "ready", _("Ready")
    FAILED = "failed", _("Failed")
    REPLACED = "replaced", _("Replaced")
    CANCELLED = "cancelled", _("Cancelled")


class Document(Restrictable):
    """A file as its people know it: a name in a workspace. Its bytes are its versions.

    Names are told apart among the documents that the whole workspace may read; a restricted document may
    have the name of another, so that no name tells that it is there.

    A document in the trash holds its file alone: it has left every store, and restoring it reads it
    again. An attachment or a member of an archive names the document it came in as its `parent`, and
    goes with it.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=255)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    current = models.ForeignKey(
        "DocumentVersion", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="parts")
    trashed_at = models.DateTimeField(null=True)
    trashed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "name"],
                condition=models.Q(trashed_at=None, audience=""),
                name="document_name_once",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "audience"], name="document_by_audience"),
        ]

    def __str__(self) -> str:
        return self.name


def version_path(version: DocumentVersion, filename: str) -> str:
    """Stored names are generated: what the person called the file is only text."""
    return f"{version.document.workspace_id}/{version.sha256[:2]}/{version.pk}"


class DocumentVersion(models.Model):
    """The bytes of a document at one time. The SHA-256 of the bytes is the version's identity."""

    ACCESS_PATH: ClassVar[str] = "document__workspace"
    DOCUMENT_PATH: ClassVar[str] = "document"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="versions")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=12, help_text="type as sniffed from the bytes")
    file = models.FileField(upload_to=version_path, max_length=255)
    state = models.CharField(
        max_length=9, choices=VersionState.choices, default=VersionState.QUEUED
    )
    step = models.CharField(max_length=20, blank=True)
    done = models.PositiveIntegerField(default=0, help_text="units of the step that are committed")
    total = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=5, blank=True)
    coverage = models.JSONField(default=dict, help_text="pages, read, ocr, unreadable, tables …")
    warnings = models.JSONField(default=list)
    options = models.JSONField(
        default=dict, help_text="chosen by a person: delimiter, encoding, header_row, numbers"
    )
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    lease_holder = models.CharField(max_length=36, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["document", "sha256"], name="version_bytes_once"),
        ]

    def __str__(self) -> str:
        return f"{self.document} {self.sha256[:8]}"


class Page(models.Model):
    ACCESS_PATH: ClassVar[str] = "version__document__workspace"
    DOCUMENT_PATH: ClassVar[str] = "version__document"

    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField(help_text="physical index, from 1")
    label = models.CharField(max_length=20, blank=True, help_text="as printed on the page")
    engine = models.CharField(max_length=20, help_text="text layer, or the OCR engine that read it")
    note = models.CharField(max_length=200, blank=True, help_text="why OCR, or what was odd")
    furniture = models.TextField(blank=True, help_text="running headers and footers")
    confidence = models.FloatField(null=True)
    characters = models.PositiveIntegerField(default=0)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["version", "number"], name="page_number_once"),
        ]

    def __str__(self) -> str:
        return f"p. {self.label or self.number}"


class Chunk(models.Model):
    """A passage that can be found and cited.

    Two generated columns that Django does not know stand beside these (migration 0002):
    `tsv`, the text in its own language, and `tsv_folded`, the same without accents or stemming.
    """

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[str] = "document"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="chunks")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="chunks")
    position = models.PositiveIntegerField()
    heading_path = models.CharField(max_length=600, blank=True, help_text="levels joined by ' › '")
    text = models.TextField()
    block = models.CharField(max_length=12, default="paragraph")
    page = models.PositiveIntegerField(null=True, help_text="physical index, from 1")
    places = models.JSONField(
        default=list, help_text="[page, left, top, right, bottom] in shares of the page"
    )
    language = models.CharField(max_length=5, default="pt")
    route = models.CharField(max_length=20)
    decision = models.JSONField(default=dict)
    embedding = VectorField(null=True)
    embedder = models.CharField(max_length=120, blank=True)
    next_embedding = VectorField(null=True, help_text="of a re-index that is not whole yet")
    next_embedder = models.CharField(max_length=120, blank=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["document", "position"]
        constraints = [
            models.UniqueConstraint(fields=["version", "position"], name="chunk_position_once"),
        ]
        indexes = [
            models.Index(fields=["workspace", "route"], name="chunk_workspace_route"),
            models.Index(fields=["workspace", "embedder"], name="chunk_workspace_embedder"),
        ]

    def __str__(self) -> str:
        return f"{self.heading_path or self.text[:60]}"


class DataTable(models.Model):
    """A table read from a document, which stands as a real table in the workspace's schema."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[str] = "document"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="tables")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="tables")
    version = models.ForeignKey(DocumentVersion, on_delete=models.CASCADE, related_name="tables")
    sql_name = models.CharField(max_length=63)
    title = models.CharField(max_length=200)
    rows = models.PositiveIntegerField(default=0)
    reading = models.JSONField(default=dict, help_text="delimiter, encoding, header row, …")
    raw_name = models.CharField(
        max_length=63, blank=True, help_text="real table of the cells as they stand in the file"
    )
    page = models.PositiveIntegerField(null=True, help_text="physical index, from 1")

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["sql_name"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "sql_name"], name="table_sql_name_once"),
        ]

    def __str__(self) -> str:
        return self.title


class DataColumn(models.Model):
    ACCESS_PATH: ClassVar[str] = "table__workspace"
    DOCUMENT_PATH: ClassVar[str] = "table__document"

    class Kind(models.TextChoices):
        INTEGER = "integer"
        NUMBER = "number"
        DATE = "date"
        BOOLEAN = "boolean"
        TEXT = "text"

    table = models.ForeignKey(DataTable, on_delete=models.CASCADE, related_name="columns")
    position = models.PositiveSmallIntegerField()
    sql_name = models.CharField(max_length=63)
    label = models.CharField(max_length=200, help_text="as it stands in the file")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    unit = models.CharField(max_length=20, blank=True)
    examples = models.JSONField(default=list)
    values = models.JSONField(default=list, help_text="distinct values of a text column, up to 500")
    distinct = models.PositiveIntegerField(default=0)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["table", "sql_name"], name="column_name_once"),
        ]

    def __str__(self) -> str:
        return f"{self.label} ({self.kind})"


class WatchedFile(models.Model):
    """A file of a watched folder as it was last taken in, so that a restart takes up from there."""

    ACCESS_PATH: ClassVar[str] = "workspace"
    DOCUMENT_PATH: ClassVar[str] = "document"

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    folder = models.CharField(max_length=500, help_text="absolute path on the watching host")
    path = models.CharField(max_length=500, help_text="inside the folder")
    size = models.PositiveBigIntegerField()
    modified_ns = models.BigIntegerField()
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, related_name="+")
    error = models.TextField(blank=True)

    objects = ScopedQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "folder", "path"], name="watched_file_once"
            ),
        ]

    def __str__(self) -> str:
        return self.path
