"""A document's own page, its original, and reading it again otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from corpus.audience import audience_of
from corpus.forms import TABLES, ReadingForm, TagsForm, recognised
from corpus.listing import Asked, documents_listed, rows_of
from corpus.models import Chunk, DataTable
from corpus.peek import first_rows
from corpus.readers_form import ReadersForm
from corpus.services import version_reread
from corpus.sharing import may_share
from corpus.shown import Row
from corpus.tags import document_tag
from corpus.views.common import PER_PAGE, document_of, version_shown
from teams.access import Right, holds
from teams.requests import member_of

if TYPE_CHECKING:
    import uuid

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from corpus.models import Document, DocumentVersion
    from teams.models import User

# The first rows of so many tables stand on the document's page; others have a page of their own.
TABLES_OPEN = 3
PAGES_LISTED = 200


@require_safe
def document_detail(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    return _page(request, document_of(request, document_id, Right.SEE))


def _page(
    request: HttpRequest,
    document: Document,
    form: ReadingForm | None = None,
    tagging: TagsForm | None = None,
) -> HttpResponse:
    user, workspace = member_of(request)
    version, newest = version_shown(document), document.versions.first()
    chunks = Chunk.objects.filter(version=version)
    inside = documents_listed(workspace, user, Asked(inside=document.pk))
    tables = Paginator(_tables(version), PER_PAGE).get_page(request.GET.get("tables"))
    context = {
        "document": document,
        "version": version,
        "row": Row(document, newest),
        "page": Paginator(chunks, PER_PAGE).get_page(request.GET.get("page")),
        "tables": tables,
        "open_tables": [(table, first_rows(table, user)) for table in tables[:TABLES_OPEN]],
        "other_tables": tables[TABLES_OPEN:],
        "recognised": recognised(tables[0].reading) if tables else {},
        "pages": version.pages.all()[:PAGES_LISTED] if version else [],
        "pages_total": version.pages.count() if version else 0,
        "inside": rows_of(inside[:PER_PAGE], parts=False),
        "inside_total": inside.count(),
        "routes": chunks.values("route").annotate(count=Count("pk")).order_by("route"),
        "near": chunks.filter(decision__near=True).count(),
        "form": form or _form(newest),
        "tagging": tagging or TagsForm(held=document.tags),
        "readers": _readers(document, user),
        "may_download": holds(user, workspace, Right.DOWNLOAD),
    }
    partial = request.GET.get("partial") == "rows"
    name = "corpus/document.html#rows" if partial else "corpus/document.html"
    return render(request, name, context, status=400 if form or tagging else 200)


def _readers(document: Document, user: User) -> ReadersForm | None:
    """The form that says who may read it; None for those who may not say so."""
    if not may_share(document, user):
        return None
    return ReadersForm(workspace=document.workspace, user=user, held=audience_of(document))


def _tables(version: DocumentVersion | None) -> QuerySet[DataTable]:
    found = DataTable.objects.filter(version=version)
    return found.select_related("workspace").prefetch_related("columns")


def _form(version: DocumentVersion | None, data: Any = None) -> ReadingForm | None:
    """The form of a version that is a table; None for others."""
    if version is None or version.kind not in TABLES:
        return None
    return ReadingForm(data, kind=version.kind, options=version.options)


@require_POST
def document_reread(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = document_of(request, document_id, Right.UPLOAD)
    version = document.versions.first()
    form = _form(version, request.POST)
    if form is None or version is None:
        raise Http404("This document is no table.")
    if not form.is_valid():
        return _page(request, document, form)
    version_reread(version=version, options=form.options())
    messages.success(request, _("%(name)s is being read again.") % {"name": document.name})
    return redirect("corpus-document", document_id=document.pk)


@require_POST
def document_tags(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = document_of(request, document_id, Right.UPLOAD)
    form = TagsForm(request.POST, held=document.tags)
    if not form.is_valid():
        return _page(request, document, tagging=form)
    document_tag(document=document, tags=form.cleaned_data["tags"])
    return redirect("corpus-document", document_id=document.pk)


@require_safe
def document_table(
    request: HttpRequest, document_id: uuid.UUID, table_id: uuid.UUID
) -> HttpResponse:
    user, _workspace = member_of(request)
    document = document_of(request, document_id, Right.SEE)
    table = get_object_or_404(_tables(document.current), pk=table_id)
    context = {"document": document, "table": table, "first": first_rows(table, user)}
    return render(request, "corpus/table.html", context)


@require_safe
def document_file(request: HttpRequest, document_id: uuid.UUID) -> FileResponse:
    """The original, always as a download: a file from outside is never rendered by us."""
    document = document_of(request, document_id, Right.DOWNLOAD)
    version = version_shown(document)
    if version is None:
        raise Http404("No version of this document is left.")
    return FileResponse(
        version.file.open("rb"),
        as_attachment=True,
        filename=document.name,
        content_type="application/octet-stream",
    )
