"""Who may read a document: said by its uploader and by curators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corpus.audience import audience_of
from corpus.errors import SharingRefused
from corpus.readers_form import ReadersForm
from corpus.selectors import documents_live
from corpus.sharing import document_share, may_share
from corpus.views.common import document_of
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest, HttpResponse


@require_POST
def document_readers(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    user, workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD)
    if not may_share(document, user):
        raise PermissionDenied(_("Its uploader and curators say who may read it."))
    form = ReadersForm(request.POST, workspace=workspace, user=user, held=audience_of(document))
    if not form.is_valid():
        messages.error(request, form.trouble)
        return redirect("corpus-document", document_id=document.pk)
    try:
        document_share(document=document, user=user, audience=form.audience)
    except SharingRefused as error:
        messages.error(request, str(error))
        return redirect("corpus-document", document_id=document.pk)
    said = _("Who may read %(name)s is changed, at once and everywhere.")
    messages.success(request, said % {"name": document.name})
    # Who gives a document to groups that they are not in does not read it any more.
    still = documents_live(workspace, user).filter(pk=document.pk).exists()
    return redirect("corpus-document", document_id=document.pk) if still else redirect("corpus")
