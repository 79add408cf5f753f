"""Who is in the workspace, by which role, who is invited, and the groups of people."""

from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Query, Router
from ninja.responses import Status as Reply

from retrieval.api import schemas
from retrieval.api import team_schemas as shapes
from retrieval.api.paging import KEY_MOST, Paging, keyed, page_of
from retrieval.api.problems import Problem
from retrieval.api.schemas import answers
from teams.access import Right
from teams.forms import InvitationForm
from teams.groups import (
    download_allow,
    group_create,
    group_delete,
    group_members_set,
    group_rename,
)
from teams.invitations import invitation_create, invitation_revoke
from teams.mail import invitation_send
from teams.members import members_of, membership_remove, membership_role_set
from teams.models import Group, Invitation, Membership
from teams.requests import member_of

router = Router(tags=["members"])
ONE = "/members/{int:member_id}"
GROUP = "/groups/{int:group_id}"


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


@router.patch(ONE, response=answers({200: schemas.Member, 409: Problem}))
def member_change(request: HttpRequest, member_id: int, body: schemas.RoleChange) -> Any:
    """Give a member another role, at once. An owner's right; the last owner stays one (409)."""
    user, workspace = member_of(request, Right.MANAGE)
    row = keyed(members_of(workspace), member_id)
    return _member(membership_role_set(membership=row, role=body.role, actor=user))


@router.delete(ONE, response=answers({204: None, 409: Problem}))
def member_remove(request: HttpRequest, member_id: int) -> HttpResponse:
    """Take a member out. An owner's right; the last owner stays (409). What they brought in stays."""
    user, workspace = member_of(request, Right.MANAGE)
    membership_remove(membership=keyed(members_of(workspace), member_id), actor=user)
    return HttpResponse(status=204)


@router.put(f"{ONE}/download", response=answers({200: schemas.Member}))
def member_download(request: HttpRequest, member_id: int, body: shapes.DownloadChange) -> Any:
    """Let a member download originals, or only see and ask."""
    user, workspace = member_of(request, Right.MANAGE)
    row = keyed(members_of(workspace).select_related("user", "workspace"), member_id)
    download_allow(membership=row, user=user, allowed=body.allowed)
    return _member(row)


@router.post("/members/leave", response=answers({204: None, 409: Problem}))
def member_leave(request: HttpRequest) -> HttpResponse:
    """Leave the workspace oneself; with a token of one's own, which opens nothing afterwards. Wants the
    scope to manage where a token is shown, since it ends a membership."""
    user, workspace = member_of(request)
    if getattr(request, "token", None) is not None:
        member_of(request, Right.MANAGE)
    row = get_object_or_404(Membership, user=user, workspace=workspace)
    membership_remove(membership=row, actor=user)
    return HttpResponse(status=204)


def _invitation(row: Invitation) -> dict[str, Any]:
    return {
        "id": row.pk,
        "role": row.role,
        "email": row.email,
        "state": row.state,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
    }


@router.get("/invitations", response=answers({200: shapes.Invitations}))
def invitations_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """The invitations of the workspace, the newest first. Their links are told once, when made."""
    user, workspace = member_of(request, Right.MANAGE)
    found = Invitation.objects.visible_to(user, Right.MANAGE).in_workspace(workspace)
    rows, told = page_of(found, paging)
    return {**told, "items": [_invitation(row) for row in rows]}


@router.post("/invitations", response=answers({201: shapes.Invited}))
def invitation_make(request: HttpRequest, body: shapes.InvitationIn) -> Any:
    """Make a link that invites once; it is mailed too where an address is given and mail is set up."""
    user, workspace = member_of(request, Right.MANAGE)
    form = InvitationForm(body.dict())
    if not form.is_valid():
        raise BadRequest(_("Choose a role and how long the link is to hold."))
    made, token = invitation_create(workspace=workspace, user=user, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    if made.email:
        invitation_send(invitation=made, link=link)
    return Reply(201, {**_invitation(made), "link": link})


@router.delete("/invitations/{int:invitation_id}", response=answers({204: None}))
def invitation_take_back(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Take an open invitation back."""
    user, workspace = member_of(request, Right.MANAGE)
    found = Invitation.objects.visible_to(user, Right.MANAGE).in_workspace(workspace)
    invitation_revoke(invitation=keyed(found, invitation_id), user=user)
    return HttpResponse(status=204)


def _group(row: Group) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "members": sorted(one.pk for one in row.members.all()),
    }


def _groups(request: HttpRequest) -> tuple[Any, Any]:
    user, workspace = member_of(request, Right.CURATE)
    found = Group.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    return user, found.select_related("workspace").prefetch_related("members")


@router.get("/groups", response=answers({200: shapes.Groups}))
def groups_list(request: HttpRequest, paging: Query[Paging]) -> Any:
    """The groups of people that documents can be shown to alone. Curators'."""
    _user, found = _groups(request)
    rows, told = page_of(found, paging)
    return {**told, "items": [_group(row) for row in rows]}


@router.post("/groups", response=answers({201: shapes.Group}))
def group_new(request: HttpRequest, body: shapes.GroupIn) -> Any:
    user, workspace = member_of(request, Right.CURATE)
    return Reply(201, _group(group_create(workspace=workspace, user=user, name=body.name)))


@router.patch(GROUP, response=answers({200: shapes.Group}))
def group_change(request: HttpRequest, group_id: int, body: shapes.GroupChange) -> Any:
    """Another name, or other members (all of them, by their keys); at once on every road."""
    user, found = _groups(request)
    row = keyed(found, group_id)
    if body.name is not None:
        group_rename(group=row, user=user, name=body.name)
    if body.members is not None:
        known = [key for key in body.members if 0 < key <= KEY_MOST]
        group_members_set(group=row, user=user, members=known)
    return _group(keyed(found.all(), group_id))


@router.delete(GROUP, response=answers({204: None}))
def group_remove(request: HttpRequest, group_id: int) -> HttpResponse:
    user, found = _groups(request)
    group_delete(group=keyed(found, group_id), user=user)
    return HttpResponse(status=204)
