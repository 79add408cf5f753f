"""The list of documents, and the trash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.paginator import Paginator
from django.http import JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from corpus.forms import ListForm
from corpus.indexing import index_known
from corpus.listing import STATES, Asked, documents_listed, rows_of
from corpus.parsing import ACCEPTED, SUFFIXES
from corpus.readers_form import ReadersForm
from corpus.selectors import documents_live, documents_trashed, worker_alive
from corpus.tags import tags_known
from corpus.views.common import PER_PAGE
from teams.access import Right, holds
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def _asked(request: HttpRequest) -> Asked:
    form = ListForm(request.GET)
    form.is_valid()
    kept = form.cleaned_data
    return Asked(kept.get("q", ""), kept.get("state", ""), kept.get("inside"), kept.get("tag", ""))


@require_safe
def corpus_list(request: HttpRequest) -> HttpResponse:
    """The list; `?partial=rows` gives its rows alone. `?trashed=ID` offers to take that one back."""
    user, workspace = member_of(request)
    asked = _asked(request)
    live, thrown = documents_live(workspace, user), documents_trashed(workspace, user)
    page = Paginator(documents_listed(workspace, user, asked), PER_PAGE).get_page(
        request.GET.get("page")
    )
    trashed = ListForm({"inside": request.GET.get("trashed", "")})
    undo = trashed.is_valid() and trashed.cleaned_data["inside"]
    context = {
        "page": page,
        "rows": rows_of(page.object_list, parts=asked.inside is None and not asked.filtered),
        "total": page.paginator.count,
        "asked": asked,
        "container": live.filter(pk=asked.inside).first() if asked.inside else None,
        "states": STATES,
        "tags": tags_known(workspace, user),
        "undo": thrown.filter(pk=undo).first() if undo else None,
        "trash_count": thrown.count(),
        "index": index_known(workspace, user),
        "readers": ReadersForm(workspace=workspace, user=user),
        "may_curate": holds(user, workspace, Right.CURATE),
        "worker_alive": worker_alive(),
        "max_bytes": settings.UPLOAD_MAX_BYTES,
        "max_mb": settings.UPLOAD_MAX_BYTES // 1024 // 1024,
        "accepted": ", ".join(ACCEPTED),
        "suffixes": ",".join(f".{suffix}" for suffix in SUFFIXES),
    }
    name = "corpus/list.html#rows" if request.GET.get("partial") == "rows" else "corpus/list.html"
    return render(request, name, context)


@require_safe
def status(request: HttpRequest) -> JsonResponse:
    user, workspace = member_of(request)
    rows = rows_of(documents_live(workspace, user).order_by("-created_at"), parts=False)
    return JsonResponse(
        {
            "worker_alive": worker_alive(),
            "documents": [
                {
                    "id": str(row.document.pk),
                    "name": row.document.name,
                    "state": row.version.state if row.version else "",
                    "step": row.progress.step if row.progress else "",
                    "percent": row.percent,
                    "error": row.version.error if row.version else "",
                }
                for row in rows
            ],
        }
    )


@require_safe
def trash(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.UPLOAD)
    found = documents_trashed(workspace, user).select_related("trashed_by")
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": rows_of(page.object_list, parts=False),
        "days": settings.TRASH_DAYS,
        "may_curate": holds(user, workspace, Right.CURATE),
    }
    return render(request, "corpus/trash.html", context)
