"""What the corpus pages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404

from corpus.models import Document
from teams.requests import member_of

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest

    from corpus.models import DocumentVersion
    from teams.access import Right

PER_PAGE = 50


def document_of(
    request: HttpRequest, document_id: uuid.UUID, right: Right, *, trashed: bool | None = False
) -> Document:
    """The document if it is in the current workspace and the right is held there; else 404.

    `trashed` says whether it must lie in the trash; None takes it from either place.
    """
    user, workspace = member_of(request, right)
    readable = Document.objects.visible_to(user, right).in_workspace(workspace)
    if trashed is not None:
        readable = readable.filter(trashed_at__isnull=not trashed)
    document: Document = get_object_or_404(
        readable.select_related("workspace", "current", "parent"), pk=document_id
    )
    return document


def version_shown(document: Document) -> DocumentVersion | None:
    """The version that is served, else the newest."""
    return document.current or document.versions.first()
