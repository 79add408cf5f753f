"""Engines as rows, and what an embedder's vectors looked like when they were first made."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MinValueValidator, URLValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from teams.access import ScopedQuerySet


class Role(models.TextChoices):
    EMBEDDER = "embedder", _("Embedder")
    GENERATOR = "generator", _("Generator")
    RERANKER = "reranker", _("Reranker")
    OCR = "ocr", _("OCR")


class Place(models.TextChoices):
    LOCAL = "local", _("Local")
    REMOTE = "remote", _("API of somebody else")


class Protocol(models.TextChoices):
    OPENAI = "openai", _("OpenAI protocol")
    LATE_CHUNKING = "late", _("llama.cpp, vectors of tokens (late chunking)")


class Engine(models.Model):
    """A model server of the whole instance that fills one role.

    It belongs to no workspace: the operator's superusers write it (`engines.services`), owners of
    workspaces read it without its key. `sealed_key` is its API key as `engines.sealing` keeps it.
    """

    role = models.CharField(max_length=12, choices=Role.choices)
    name = models.CharField(max_length=60, unique=True)
    base_url = models.CharField(
        max_length=300, validators=[URLValidator(schemes=["http", "https"])]
    )
    model = models.CharField(max_length=120)
    protocol = models.CharField(max_length=8, choices=Protocol.choices, default=Protocol.OPENAI)
    place = models.CharField(max_length=8, choices=Place.choices, default=Place.REMOTE)
    sealed_key = models.TextField(blank=True, editable=False)
    price_in = models.DecimalField(
        null=True, blank=True, max_digits=12, decimal_places=4, validators=[MinValueValidator(0)]
    )
    price_out = models.DecimalField(
        null=True, blank=True, max_digits=12, decimal_places=4, validators=[MinValueValidator(0)]
    )
    context_tokens = models.PositiveIntegerField(default=8192, validators=[MinValueValidator(512)])
    timeout = models.PositiveIntegerField(
        default=60, validators=[MinValueValidator(1)], help_text=_("seconds of silence")
    )
    priority = models.PositiveIntegerField(
        default=100, help_text=_("lower numbers are tried first; the environment's is 50")
    )
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["role", "priority", "pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.role})"


class ServerState(models.TextChoices):
    STOPPED = "stopped", _("Stopped")
    STARTING = "starting", _("Starting")
    UP = "up", _("Up")
    ASLEEP = "asleep", _("Asleep")
    FAILED = "failed", _("Failed")


class Wish(models.TextChoices):
    RUN = "run", _("Run")
    STOP = "stop", _("Stop")


class ManagedServer(models.Model):
    """A `llama-server` of this instance: what is wished of it, and how the supervisor last saw it.

    Belongs to the instance and to no workspace. `wish` and `wake` are written by people, the rest by
    `manage.py serve_models`. A row whose `seen_at` is old has no supervisor.
    """

    name = models.CharField(max_length=40, unique=True)
    wish = models.CharField(max_length=8, choices=Wish.choices, default=Wish.RUN)
    wake = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=ServerState.choices, default=ServerState.STOPPED)
    said = models.TextField(blank=True)
    pid = models.PositiveIntegerField(null=True)
    restarts = models.PositiveIntegerField(default=0)
    memory_bytes = models.BigIntegerField(null=True)
    tokens_per_second = models.FloatField(null=True)
    log_tail = models.TextField(blank=True)
    seen_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name}: {self.state}"


class Budget(models.Model):
    """What the answers of a workspace may cost in a calendar month, in the instance's currency."""

    ACCESS_PATH: ClassVar[str] = "workspace"

    workspace = models.OneToOneField(
        "teams.Workspace", on_delete=models.CASCADE, related_name="budget"
    )
    monthly = models.DecimalField(
        max_digits=12, decimal_places=2, validators=[MinValueValidator(0)]
    )

    objects = ScopedQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.workspace}: {self.monthly}"


class EmbedderPrint(models.Model):
    """The vector of one fixed sentence, by which another model under the same name is known."""

    key = models.CharField(max_length=200, unique=True, help_text="identity and side")
    vector = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key
