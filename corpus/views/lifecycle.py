"""What people do with a document: stop, read again, throw away, take back, delete; re-index all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corpus.errors import UploadRefused
from corpus.selectors import documents_trashed
from corpus.services import (
    document_delete,
    document_restore,
    document_trash,
    version_cancel,
    version_retry,
)
from corpus.views.common import document_of
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse


def _back(request: HttpRequest) -> HttpResponse:
    """To the page that the form was sent from when it names one of ours, else to the list."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return redirect(wanted if wanted.startswith("/") and ours else "corpus")


@require_POST
def document_discard(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Into the trash; the list then offers to take it back."""
    user, _workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD)
    document_trash(document=document, user=user)
    return redirect(f"{reverse('corpus')}?trashed={document.pk}")


@require_POST
def document_take_back(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    user, _workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD, trashed=True)
    try:
        document_restore(document=document, user=user)
    except UploadRefused as error:
        messages.error(request, str(error))
        return redirect("corpus-trash")
    said = _("%(name)s was taken out of the trash and is being read again.")
    messages.success(request, said % {"name": document.name})
    return _back(request)


@require_POST
def document_remove(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """For good, from the trash or past it."""
    user, _workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD, trashed=None)
    document_delete(document=document, user=user)
    messages.success(request, _("%(name)s was deleted for good.") % {"name": document.name})
    return _back(request)


@require_POST
def trash_clear(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.CURATE)
    for document in documents_trashed(workspace, user):
        document_delete(document=document, user=user)
    messages.success(request, _("The trash was emptied."))
    return redirect("corpus-trash")


@require_POST
def document_cancel(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = document_of(request, document_id, Right.UPLOAD)
    version = document.versions.first()
    if version is not None and version_cancel(version=version):
        messages.info(request, _("Reading %(name)s was stopped.") % {"name": document.name})
    return _back(request)


@require_POST
def document_retry(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = document_of(request, document_id, Right.UPLOAD)
    version = document.versions.first()
    if version is not None:
        version_retry(version=version)
    return _back(request)


@require_POST
def reindex(request: HttpRequest) -> HttpResponse:
    from corpus.reindex import reindex_queue

    _user, workspace = member_of(request, Right.CURATE)
    reindex_queue(workspace)
    messages.success(
        request,
        _("The index is being made anew. Until it is whole, questions use the one there is."),
    )
    return redirect("corpus")
