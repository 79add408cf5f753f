"""Documents: list, take in, look at, download, throw away, take back."""

import uuid
from typing import Annotated, Any

from django.http import FileResponse, HttpRequest, HttpResponse
from ninja import File, FormEx, HeaderEx, Query, Router, Schema
from ninja.decorators import decorate_view
from ninja.files import UploadedFile
from ninja.responses import Status as Reply
from pydantic import Field

from corpus.listing import STATES, Asked, documents_listed, rows_of
from corpus.models import Document
from corpus.services import document_restore, document_trash, document_upload
from corpus.shown import Row
from corpus.upload_keys import document_upload_once
from corpus.views.common import document_of, version_shown
from corpus.views.documents import document_file
from retrieval.api import schemas
from retrieval.api.media import takes_form
from retrieval.api.paging import Paging, Plain, page_of
from retrieval.api.problems import Problem
from retrieval.api.schemas import answers
from teams.access import Right
from teams.requests import member_of

router = Router(tags=["documents"])
ONE = "/documents/{uuid:document_id}"
TEXT = 200


class Filter(Schema):
    q: Plain = Field("", max_length=TEXT, description="words of the name")
    state: Plain = Field("", max_length=20, description=", ".join(key for key, _ in STATES))
    tag: Plain = Field("", max_length=TEXT)
    inside: uuid.UUID | None = Field(None, description="files that came inside this document")


def document_shown(row: Row) -> dict[str, Any]:
    version, progress = row.version, row.progress
    return {
        "id": row.document.pk,
        "name": row.document.name,
        "tags": row.document.tags,
        "state": version.state if version else "",
        "step": progress.step if progress else "",
        "percent": row.percent,
        "error": version.error if version else "",
        "kind": version.kind if version else "",
        "size": version.size if version else 0,
        "sha256": version.sha256 if version else "",
        "created_at": row.document.created_at,
        "inside": row.inside,
    }


def _one(document: Document) -> dict[str, Any]:
    return document_shown(rows_of(Document.objects.filter(pk=document.pk), parts=False)[0])


@router.get("/documents", response=answers({200: schemas.Documents}))
def documents_list(request: HttpRequest, asked: Query[Filter], paging: Query[Paging]) -> Any:
    """Documents that the caller may see, the newest first; files inside others under their container."""
    user, workspace = member_of(request)
    wanted = Asked(asked.q, asked.state, asked.inside, asked.tag)
    rows, told = page_of(documents_listed(workspace, user, wanted), paging)
    return {**told, "items": [document_shown(row) for row in rows_of(rows, parts=False)]}


@router.post(
    "/documents",
    response=answers({200: schemas.Uploaded, 201: schemas.Uploaded, 409: Problem, 413: Problem}),
)
@decorate_view(takes_form)
def document_add(
    request: HttpRequest,
    file: File[UploadedFile],
    path: Annotated[Plain, FormEx("", max_length=1000)] = "",
    idempotency_key: Annotated[Plain, HeaderEx("", max_length=TEXT, alias="Idempotency-Key")] = "",
) -> Any:
    """Take a file in and queue its reading: 201, or 200 when its bytes are here already.

    `path` is its name with folders. A request repeated with the same Idempotency-Key within a day gives
    the first outcome again; the same key with another file is refused with 409.
    """
    user, workspace = member_of(request, Right.UPLOAD)
    asked: dict[str, Any] = {
        "workspace": workspace,
        "user": user,
        "name": path or file.name or "",
        "content": file,
        "folders": bool(path),
    }
    done = (
        document_upload_once(key=idempotency_key, **asked)
        if idempotency_key
        else document_upload(**asked)
    )
    status = 200 if done.outcome == "unchanged" else 201
    return Reply(status, {"outcome": done.outcome, "document": _one(done.document)})


@router.get(ONE, response=answers({200: schemas.DocumentDetail}))
def document_get(request: HttpRequest, document_id: uuid.UUID) -> Any:
    document = document_of(request, document_id, Right.SEE)
    version = version_shown(document)
    return {
        **_one(document),
        "language": version.language if version else "",
        "served": document.current_id is not None,
        "pages": version.pages.count() if version else 0,
        "passages": version.chunks.count() if version else 0,
        "tables": version.tables.count() if version else 0,
        "warnings": version.warnings if version else [],
        "coverage": version.coverage if version else {},
    }


@router.get(f"{ONE}/status", response=answers({200: schemas.Status}))
def document_status(request: HttpRequest, document_id: uuid.UUID) -> Any:
    """How far the newest version's reading has come."""
    document = document_of(request, document_id, Right.SEE)
    row = Row(document, document.versions.first())
    told = document_shown(row)
    return {**told, "stuck": bool(row.progress and row.progress.stuck)}


@router.get(
    f"{ONE}/file",
    response=answers({200: bytes}),
    openapi_extra={
        "responses": {
            200: {
                "description": "The original's bytes.",
                "content": {
                    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
                },
            }
        }
    },
)
def document_download(request: HttpRequest, document_id: uuid.UUID) -> FileResponse:
    """The original, as it was uploaded."""
    return document_file(request, document_id)


@router.delete(ONE, response=answers({204: None}))
def document_discard(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Into the trash: it leaves every store at once, and can be taken back."""
    user, _workspace = member_of(request, Right.UPLOAD)
    document_trash(document=document_of(request, document_id, Right.UPLOAD), user=user)
    return HttpResponse(status=204)


@router.post(f"{ONE}/restore", response=answers({200: schemas.Document}))
def document_take_back(request: HttpRequest, document_id: uuid.UUID) -> Any:
    """Out of the trash; it is read again."""
    user, _workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD, trashed=True)
    document_restore(document=document, user=user)
    return _one(document)
