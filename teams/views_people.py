"""A person's own account, and the link that invites them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from teams.errors import InvitationRefused
from teams.invitations import (
    invitation_accept,
    invitation_forget,
    invitation_keep,
    invitation_named,
)
from teams.middleware import SESSION_KEY
from teams.models import Invitation, Membership
from teams.workspaces import may_open

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from teams.models import User


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """What a person may change about how they sign in, and where they are a member."""
    user = cast("User", request.user)
    memberships = Membership.objects.filter(user=user).select_related("workspace")
    return render(
        request,
        "teams/account.html",
        {
            "memberships": memberships.order_by("workspace__name"),
            "may_open": may_open(user),
            "provider": bool(settings.SOCIALACCOUNT_PROVIDERS),
            "connected": SocialAccount.objects.filter(user=user).exists(),
        },
    )


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What a link invites to; posting accepts it as the person signed in.

    A link that does not invite any more says why and tells nothing else: 404 for one that never was,
    410 for one that is closed.
    """
    found = invitation_named(token)
    if found is None or found.state != Invitation.State.OPEN:
        return _refused(request, found.state if found is not None else "")
    if request.method != "POST":
        if not request.user.is_authenticated:
            invitation_keep(request, token)
        return render(request, "teams/invitation.html", {"invitation": found})
    if not request.user.is_authenticated:
        return redirect("invitation", token=token)
    try:
        membership = invitation_accept(token=token, user=request.user)
    except InvitationRefused as error:
        return _refused(request, error.state)
    invitation_forget(request)
    request.session[SESSION_KEY] = str(membership.workspace_id)
    messages.success(
        request,
        _("You are a member of %(name)s.") % {"name": membership.workspace.name},
    )
    return redirect("chat")


def _refused(request: HttpRequest, state: str) -> HttpResponse:
    status = 410 if state else 404
    return render(request, "teams/invitation_closed.html", {"state": state}, status=status)
