"""Databases of others: attach, choose tables, copy them, copy the rows of a SELECT, detach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from corpus.errors import CorpusError
from corpus.source_forms import QueryForm, SourceForm
from corpus.source_models import DataSource
from corpus.sources import (
    source_attach,
    source_detach,
    source_query,
    source_queue,
    source_tables,
)
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse

    from teams.models import User


def _source(request: HttpRequest, source_id: uuid.UUID) -> tuple[User, DataSource]:
    """The source if it is in the current workspace and the right to curate is held; else 404."""
    user, workspace = member_of(request, Right.CURATE)
    rows = DataSource.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    source: DataSource = get_object_or_404(rows.select_related("workspace"), pk=source_id)
    return user, source


@require_http_methods(["GET", "HEAD", "POST"])
def sources(request: HttpRequest) -> HttpResponse:
    """The list, and the form that attaches one more."""
    user, workspace = member_of(request, Right.CURATE)
    form = SourceForm(request.POST or None, workspace=workspace)
    if request.method == "POST" and form.is_valid():
        fields = dict(form.cleaned_data)
        password = fields.pop("password")
        try:
            made = source_attach(workspace=workspace, user=user, fields=fields, password=password)
        except CorpusError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("%(name)s is attached.") % {"name": made.name})
            return redirect("corpus-source", source_id=made.pk)
    rows = DataSource.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    status = 400 if form.is_bound else 200
    return render(request, "corpus/sources.html", {"sources": rows, "form": form}, status=status)


@require_safe
def source(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    user, found = _source(request, source_id)
    return _page(request, user, found, QueryForm())


def _page(
    request: HttpRequest, user: User, found: DataSource, form: QueryForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"source": found, "form": form}
    try:
        context["tables"] = source_tables(source=found, user=user)
    except CorpusError as error:
        context["failed"] = str(error)
    return render(request, "corpus/source.html", context, status=status)


@require_POST
def source_copy(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    user, found = _source(request, source_id)
    try:
        source_queue(source=found, user=user, tables=request.POST.getlist("tables"))
    except CorpusError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The tables are being copied. They appear in the corpus."))
    return redirect("corpus-source", source_id=found.pk)


@require_POST
def source_select(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    user, found = _source(request, source_id)
    form = QueryForm(request.POST)
    if form.is_valid():
        try:
            taken = source_query(source=found, user=user, **form.cleaned_data)
        except CorpusError as error:
            form.add_error("statement", str(error))
        else:
            return redirect("corpus-document", document_id=taken.document.pk)
    return _page(request, user, found, form, 400)


@require_POST
def source_remove(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    user, found = _source(request, source_id)
    source_detach(source=found, user=user)
    messages.success(request, _("%(name)s is detached.") % {"name": found.name})
    return redirect("corpus-sources")
