"""Who may read a document; the trash; names that are one thing."""

import uuid
from typing import Annotated, Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, QueryEx, Router

from corpus.alias_listing import aliases_listed
from corpus.aliases import alias_decide
from corpus.audience import audience_of
from corpus.listing import rows_of
from corpus.models import EntityAlias
from corpus.selectors import documents_trashed
from corpus.services import document_delete
from corpus.sharing import audience_checked, document_share, may_share
from corpus.views.common import document_of
from retrieval.api import schemas
from retrieval.api import team_schemas as shapes
from retrieval.api.documents import document_shown
from retrieval.api.paging import Paging, Plain, keyed, page_of
from retrieval.api.problems import Problem
from retrieval.api.schemas import answers
from teams.access import Right
from teams.problems import problem
from teams.requests import member_of

router = Router(tags=["documents"])


@router.put("/documents/{uuid:document_id}/readers", response=answers({200: shapes.Readers}))
def document_readers(request: HttpRequest, document_id: uuid.UUID, body: shapes.Readers) -> Any:
    """Let the workspace, chosen groups, or its uploader alone read the document; at once on every road.

    For its uploader and for curators. A file inside another is read by whoever reads that one.
    """
    user, workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD)
    if not may_share(document, user):
        raise PermissionDenied(_("Its uploader and curators say who may read it."))
    audience = audience_checked(
        workspace=workspace,
        user=user,
        visibility=body.visibility,
        groups=body.groups,
        held=audience_of(document),
    )
    document_share(document=document, user=user, audience=audience)
    return {"visibility": audience.visibility, "groups": sorted(audience.groups)}


@router.get("/trash", response=answers({200: schemas.Documents}))
def trash_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """What lies in the trash, last thrown away first."""
    user, workspace = member_of(request)
    rows, told = page_of(documents_trashed(workspace, user), paging)
    return {**told, "items": [document_shown(row) for row in rows_of(rows, parts=False)]}


@router.delete("/trash/{uuid:document_id}", response=answers({204: None}))
def trash_remove(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    """Delete a document in the trash for good."""
    user, _workspace = member_of(request, Right.UPLOAD)
    document = document_of(request, document_id, Right.UPLOAD, trashed=True)
    document_delete(document=document, user=user)
    return HttpResponse(status=204)


@router.get("/names", response=answers({200: shapes.Names}))
def names_list(
    request: HttpRequest,
    paging: Query[Paging],
    q: Annotated[Plain, QueryEx("", max_length=200)] = "",
    state: Annotated[Plain, QueryEx("", max_length=20)] = "",
) -> Any:
    """Pairs of names that are or may be one thing, of what the caller may read. Curators'."""
    user, workspace = member_of(request, Right.CURATE)
    rows, told = page_of(aliases_listed(workspace, user, state=state, said=q), paging)
    return {**told, "items": [_name(row) for row in rows]}


def _name(row: EntityAlias) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.entity.name,
        "canonical": row.canonical.name,
        "state": row.state,
        "score": row.score,
        "reason": row.reason,
    }


@router.patch("/names/{int:name_id}", response=answers({200: shapes.Name, 409: Problem}))
def name_decide(request: HttpRequest, name_id: int, body: shapes.NameDecision) -> Any:
    """Merge two names, keep them apart, or separate them again; 409 where that was decided meanwhile."""
    user, workspace = member_of(request, Right.CURATE)
    found = aliases_listed(workspace, user, state="", said="")
    row = keyed(found, name_id)
    if not alias_decide(alias=row, user=user, state=EntityAlias.State(body.state)):
        return problem(409, _("That was decided meanwhile. See how it stands now."))
    return _name(keyed(found.all(), name_id))
