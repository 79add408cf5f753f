"""Members and invitations of the current workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from teams.access import Right, holds
from teams.errors import LastOwner
from teams.forms import InvitationForm, RoleForm
from teams.invitations import invitation_create, invitation_revoke
from teams.mail import invitation_send
from teams.members import members_of, membership_remove, membership_role_set
from teams.models import Invitation, Membership, Role
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from teams.models import User

LINK = "invitation-link"
SHOWN = 50


@require_safe
@never_cache
def members(request: HttpRequest) -> HttpResponse:
    """Who is here by which role; owners also change that and see the open invitations."""
    user, workspace = member_of(request)
    manages = holds(user, workspace, Right.MANAGE)
    invitations = Invitation.objects.visible_to(user, Right.MANAGE).in_workspace(workspace)
    return render(
        request,
        "teams/members.html",
        {
            "members": members_of(workspace),
            "manages": manages,
            "curates": holds(user, workspace, Right.CURATE),
            "roles": Role.choices,
            "form": InvitationForm(),
            "invitations": invitations.select_related("created_by", "accepted_by")[:SHOWN],
            # Shown once: the session forgets it here.
            "link": request.session.pop(LINK, "") if manages else "",
        },
    )


@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Make an invitation; its link is shown once on the page that follows, and sent where mail is set up."""
    user, workspace = member_of(request, Right.MANAGE)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose a role and how long the link is to hold."))
        return redirect("members")
    made, token = invitation_create(workspace=workspace, user=user, **form.cleaned_data)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    request.session[LINK] = link
    if made.email and not invitation_send(invitation=made, link=link):
        messages.warning(request, _("No message was sent. Give the link to the person yourself."))
    return redirect("members")


@require_POST
def uninvite(request: HttpRequest, invitation_id: int) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    open_ones = Invitation.objects.visible_to(user, Right.MANAGE).in_workspace(workspace)
    invitation_revoke(invitation=get_object_or_404(open_ones, pk=invitation_id), user=user)
    messages.success(request, _("The invitation is taken back."))
    return redirect("members")


@require_POST
def member_role(request: HttpRequest, membership_id: int) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    membership = get_object_or_404(Membership, pk=membership_id, workspace=workspace)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("There is no such role."))
        return redirect("members")
    try:
        membership_role_set(membership=membership, role=form.cleaned_data["role"], actor=user)
    except LastOwner as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The role of %(name)s is changed.") % {"name": membership.user})
    return redirect("members")


@require_POST
def member_remove(request: HttpRequest, membership_id: int) -> HttpResponse:
    _user, workspace = member_of(request, Right.MANAGE)
    membership = get_object_or_404(Membership, pk=membership_id, workspace=workspace)
    return _take_out(request, membership)


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request)
    membership = get_object_or_404(Membership, user=user, workspace=workspace)
    return _take_out(request, membership)


def _take_out(request: HttpRequest, membership: Membership) -> HttpResponse:
    person = cast("User", request.user)
    try:
        membership_remove(membership=membership, actor=person)
    except LastOwner as error:
        messages.error(request, str(error))
        return redirect("members")
    if membership.user_id == person.pk:
        said = _("You have left %(name)s.") % {"name": membership.workspace.name}
        messages.success(request, said)
        return redirect("account")
    said = _("%(name)s is no member any more.") % {"name": membership.user}
    messages.success(request, said)
    return redirect("members")
