"""The list of documents: who is in it, by which filter, and the rows of one page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, OuterRef, Prefetch, Q, Subquery
from django.utils.translation import gettext_lazy as _

from corpus.models import Document, DocumentVersion, VersionState
from corpus.selectors import documents_live
from corpus.shown import BUSY, Row

if TYPE_CHECKING:
    import uuid

    from django_stubs_ext import StrOrPromise

    from teams.models import User, Workspace

PARTS_SHOWN = 5
NOTED = "noted"
STATES: tuple[tuple[str, StrOrPromise], ...] = (
    ("busy", _("being read")),
    (VersionState.READY.value, _("ready")),
    (NOTED, _("with notes or gaps")),
    (VersionState.FAILED.value, _("failed")),
    (VersionState.CANCELLED.value, _("cancelled")),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the list was asked for: words of the name, a key of STATES, the container, a tag."""

    q: str = ""
    state: str = ""
    inside: uuid.UUID | None = None
    tag: str = ""

    @property
    def filtered(self) -> bool:
        return bool(self.q or self.state or self.tag)


def documents_listed(workspace: Workspace, user: User, asked: Asked) -> Any:
    """Live documents that fit. Files inside others stand under their container, unless one is sought."""
    rows = documents_live(workspace, user).order_by("-created_at", "name")
    if asked.inside is not None:
        rows = rows.filter(parent=asked.inside).order_by("name")
    elif not asked.filtered:
        rows = rows.filter(parent=None)
    if asked.q:
        rows = rows.filter(name__icontains=asked.q)
    if asked.tag:
        rows = rows.filter(tags__contains=[asked.tag])
    if asked.state:
        newest = DocumentVersion.objects.filter(document=OuterRef("pk")).order_by("-created_at")
        rows = rows.annotate(newest=Subquery(newest.values("pk")[:1]))
        rows = rows.filter(newest__in=DocumentVersion.objects.filter(_state(asked.state)))
    return rows


def rows_of(documents: Any, *, parts: bool = True) -> list[Row]:
    """Rows for the documents of one page, each with its newest version and the first of its parts.

    `documents` come in an order of their own: the model's is lost by counting.
    """
    newest = DocumentVersion.objects.order_by("-created_at")[:1]
    alive = Q(parts__trashed_at=None, parts__isnull=False)
    found = documents.select_related("parent").prefetch_related(
        Prefetch("versions", queryset=newest, to_attr="newest_version")
    )
    found = found.annotate(inside=Count("parts", filter=alive))
    if parts:
        inner = (
            Document.objects.filter(trashed_at=None)
            .annotate(inside=Count("parts", filter=alive))
            .prefetch_related(Prefetch("versions", queryset=newest, to_attr="newest_version"))
            .order_by("name")[:PARTS_SHOWN]
        )
        found = found.prefetch_related(Prefetch("parts", queryset=inner, to_attr="first_parts"))
    return [_row(document) for document in found]


def _row(document: Any) -> Row:
    inner = tuple(_row(part) for part in getattr(document, "first_parts", ()))
    version = next(iter(document.newest_version), None)
    return Row(document, version, inner, document.inside)


def _state(state: str) -> Q:
    if state == NOTED:
        return ~Q(warnings=[]) | Q(coverage__unreadable__0__isnull=False)
    return Q(state__in=BUSY) if state == "busy" else Q(state=state)
