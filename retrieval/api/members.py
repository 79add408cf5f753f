"""Who is in the workspace."""

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router

from retrieval.api import schemas
from retrieval.api.paging import Paging, page_of
from retrieval.api.problems import Problem
from retrieval.api.schemas import answers
from teams.access import Right
from teams.members import members_of, membership_role_set
from teams.models import Membership
from teams.requests import member_of

KEY_MOST = 2**63 - 1
router = Router(tags=["members"])


def _member(row: Membership) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.user.get_username(),
        "role": row.role,
        "since": row.created_at,
    }


@router.get("/members", response=answers({200: schemas.Members}))
def members_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """The members of the workspace, owners first."""
    _user, workspace = member_of(request)
    rows, told = page_of(members_of(workspace), paging)
    return {**told, "items": [_member(row) for row in rows]}


@router.patch("/members/{int:member_id}", response=answers({200: schemas.Member, 409: Problem}))
def member_change(request: HttpRequest, member_id: int, body: schemas.RoleChange) -> Any:
    """Give a member another role, at once. An owner's right; the last owner stays one (409)."""
    user, workspace = member_of(request, Right.MANAGE)
    if member_id > KEY_MOST:
        raise Http404
    row = get_object_or_404(members_of(workspace), pk=member_id)
    return _member(membership_role_set(membership=row, role=body.role, actor=user))
