"""Pages of the corpus. Each parses, calls one function, renders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import FileResponse, Http404, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from corpus.errors import UploadRefused
from corpus.forms import UploadForm
from corpus.models import Chunk, Document, VersionState
from corpus.parsing import ACCEPTED
from corpus.selectors import worker_alive
from corpus.services import document_delete, document_upload, version_retry
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse

    from corpus.models import DocumentVersion

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A document as the list shows it: the version that is being read, else the one served."""

    document: Document
    version: DocumentVersion | None

    @property
    def percent(self) -> int:
        if self.version is None:
            return 0
        if self.version.state == VersionState.READY:
            return 100
        return 100 * self.version.done // self.version.total if self.version.total else 0

    @property
    def busy(self) -> bool:
        return self.version is not None and self.version.state in {
            VersionState.QUEUED,
            VersionState.READING,
        }


def _rows(documents: Any) -> list[Row]:
    return [
        Row(document, next(iter(document.versions.all()), None))
        for document in documents.prefetch_related("versions")
    ]


@require_safe
def corpus_list(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request)
    documents = Document.objects.visible_to(user).in_workspace(workspace)
    page = Paginator(documents, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": _rows(page.object_list),
        "total": page.paginator.count,
        "worker_alive": worker_alive(),
        "max_mb": settings.UPLOAD_MAX_BYTES // 1024 // 1024,
        "accepted": ", ".join(ACCEPTED),
        "suffixes": ",".join(f".{kind}" for kind in (*ACCEPTED, "htm", "jpeg", "tsv", "tif")),
    }
    name = "corpus/list.html#rows" if request.GET.get("partial") == "rows" else "corpus/list.html"
    return render(request, name, context)


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.UPLOAD)
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, _("Choose at least one file."))
        return redirect("corpus")
    taken = unchanged = 0
    for content in form.cleaned_data["files"]:
        try:
            done = document_upload(
                workspace=workspace, user=user, name=content.name, content=content
            )
        except UploadRefused as error:
            messages.error(request, str(error))
            continue
        taken += done.outcome != "unchanged"
        if done.outcome == "unchanged":
            unchanged += 1
            messages.info(
                request,
                _("%(name)s is already here with the same content; nothing was changed.")
                % {"name": done.document.name},
            )
    if taken:
        said = ngettext("%(n)d file is being read.", "%(n)d files are being read.", taken)
        messages.success(request, said % {"n": taken})
    return redirect("corpus")


@require_safe
def status(request: HttpRequest) -> JsonResponse:
    user, workspace = member_of(request)
    documents = Document.objects.visible_to(user).in_workspace(workspace)
    return JsonResponse(
        {
            "worker_alive": worker_alive(),
            "documents": [
                {
                    "id": str(row.document.pk),
                    "name": row.document.name,
                    "state": row.version.state if row.version else "",
                    "percent": row.percent,
                    "error": row.version.error if row.version else "",
                }
                for row in _rows(documents)
            ],
        }
    )


def _document(request: HttpRequest, document_id: uuid.UUID, right: Right) -> Document:
    """The document if it is in the current workspace and the right is held there; else 404."""
    user, workspace = member_of(request, right)
    readable = Document.objects.visible_to(user, right).in_workspace(workspace)
    document: Document = get_object_or_404(readable, pk=document_id)
    return document


@require_safe
def document_detail(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = _document(request, document_id, Right.SEE)
    version = document.current or document.versions.first()
    chunks = Chunk.objects.filter(version=version)
    page = Paginator(chunks, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "corpus/document.html",
        {
            "document": document,
            "version": version,
            "page": page,
            "tables": version.tables.prefetch_related("columns") if version else [],
            "pages": version.pages.all() if version else [],
            "routes": chunks.values("route").annotate(count=Count("pk")).order_by("route"),
        },
    )


@require_POST
def document_remove(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = _document(request, document_id, Right.UPLOAD)
    document_delete(document=document)
    messages.success(request, _("%(name)s was deleted.") % {"name": document.name})
    return redirect("corpus")


@require_POST
def document_retry(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = _document(request, document_id, Right.UPLOAD)
    version = document.versions.first()
    if version is not None:
        version_retry(version=version)
    return redirect("corpus")


@require_safe
def document_file(request: HttpRequest, document_id: uuid.UUID) -> FileResponse:
    """The original, always as a download: a file from outside is never rendered by us."""
    document = _document(request, document_id, Right.SEE)
    version = document.current or document.versions.first()
    if version is None:
        raise Http404("No version of this document is left.")
    return FileResponse(
        version.file.open("rb"),
        as_attachment=True,
        filename=document.name,
        content_type="application/octet-stream",
    )
