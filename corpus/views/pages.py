"""A document page by page: its picture with the places of its passages marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from corpus.models import Chunk, Page
from corpus.pictures import KINDS, NoPicture, PictureBusy, page_picture
from corpus.shown import marks
from corpus.views.common import document_of
from teams.access import Right

if TYPE_CHECKING:
    import uuid

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from corpus.models import DocumentVersion

# A page holds fewer; a sheet of a thousand passages is cut.
CHUNKS = 200
BUSY_STATUS, BUSY = 503, {"Retry-After": "5"}


def _chunks(version: DocumentVersion, number: int) -> list[Chunk]:
    """Passages that begin on the page or reach over it."""
    near = Q(page=number) | Q(places__contains=[[number]])
    found = Chunk.objects.filter(near, version=version)[:CHUNKS]
    # The database takes a share of 1.0 for page 1 as well.
    return [
        chunk
        for chunk in found
        if chunk.page == number or any(place[0] == number for place in chunk.places)
    ]


@require_safe
def page_view(request: HttpRequest, document_id: uuid.UUID, number: int) -> HttpResponse:
    """Page `number`, its physical index from 1; `?chunk=ID` marks that passage."""
    document = document_of(request, document_id, Right.SEE)
    version = document.current
    if version is None:
        raise Http404("This document has not been read yet.")
    shown = version.pages.filter(number=number).first()
    chunks = _chunks(version, number)
    if shown is None and not chunks:
        raise Http404("No such page.")
    chosen = request.GET.get("chunk", "")
    numbers = version.pages
    context = {
        "document": document,
        "number": number,
        "shown": shown,
        "chunks": chunks,
        "chosen": chosen,
        "marks": marks(chunks, number, chosen),
        "picture": shown is not None and version.kind in KINDS,
        "before": numbers.filter(number__lt=number).last(),
        "after": numbers.filter(number__gt=number).first(),
        "total": numbers.count(),
    }
    return render(request, "corpus/page.html", context)


@require_safe
def page_choose(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """To the page that was typed in; to the document when that is no page of it."""
    document = document_of(request, document_id, Right.SEE)
    asked = request.GET.get("n", "").strip()
    pages = Page.objects.filter(version=document.current)
    # What is printed on the page is what people read there.
    found = pages.filter(label=asked).first() if asked and "\x00" not in asked else None
    if found is None and asked.isdecimal() and len(asked) < 7:
        found = pages.filter(number=int(asked)).first()
    if found is None:
        return redirect("corpus-document", document_id=document.pk)
    return redirect("corpus-page", document_id=document.pk, number=found.number)


@require_safe
def page_png(request: HttpRequest, document_id: uuid.UUID, number: int) -> HttpResponseBase:
    """The page as a picture. Rights are checked at every look; browsers may keep it for this person."""
    document = document_of(request, document_id, Right.SEE)
    version = document.current
    if version is None or not version.pages.filter(number=number).exists():
        raise Http404("No such page.")
    etag = f'"{version.pk}-{number}"'
    kept = get_conditional_response(request, etag=etag)
    reply = kept or _picture(version, number)
    reply["Cache-Control"] = "private, no-cache"
    if reply.status_code != BUSY_STATUS:
        reply["ETag"] = etag
    return reply


def _picture(version: DocumentVersion, number: int) -> HttpResponseBase:
    try:
        path = page_picture(version=version, number=number)
    except NoPicture as error:
        raise Http404(str(error)) from error
    except PictureBusy as error:
        return HttpResponse(str(error), status=BUSY_STATUS, content_type="text/plain", headers=BUSY)
    return FileResponse(path.open("rb"), content_type="image/png")
