"""Opening, renaming and deleting workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from teams.access import Right
from teams.forms import WorkspaceForm
from teams.middleware import SESSION_KEY
from teams.models import Membership
from teams.requests import member_of
from teams.workspaces import may_open, workspace_close, workspace_open, workspace_rename

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from teams.models import User


@require_http_methods(["GET", "HEAD", "POST"])
def workspace_new(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = WorkspaceForm(request.POST or None)
    if form.is_valid():
        made = workspace_open(name=form.cleaned_data["name"], user=user)
        request.session[SESSION_KEY] = str(made.pk)
        messages.success(request, _("%(name)s is ready.") % {"name": made.name})
        return redirect("corpus")
    return render(request, "teams/workspace_new.html", {"form": form, "may_open": may_open(user)})


@require_POST
def workspace_name(request: HttpRequest) -> HttpResponse:
    user, workspace = member_of(request, Right.MANAGE)
    form = WorkspaceForm(request.POST)
    if form.is_valid():
        workspace_rename(workspace=workspace, name=form.cleaned_data["name"], user=user)
        messages.success(request, _("The workspace is renamed."))
    else:
        messages.error(request, _("Give the workspace a name of at most 120 characters."))
    return redirect("members")


@require_http_methods(["GET", "HEAD", "POST"])
def workspace_remove(request: HttpRequest) -> HttpResponse:
    """Delete the current workspace once its name was typed."""
    user, workspace = member_of(request, Right.MANAGE)
    wrong = False
    if request.method == "POST":
        name = workspace.name
        # The name tells too that no other workspace was switched to meanwhile, in another tab.
        if request.POST.get("name", "").strip() == name:
            workspace_close(workspace=workspace, user=user)
            request.session.pop(SESSION_KEY, None)
            messages.success(request, _("%(name)s is deleted.") % {"name": name})
            return redirect("account")
        wrong = True
    members = Membership.objects.filter(workspace=workspace).count()
    return render(request, "teams/workspace_delete.html", {"wrong": wrong, "members": members})
