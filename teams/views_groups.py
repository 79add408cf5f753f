"""Groups of the current workspace: made, renamed, filled and deleted by those who curate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.db.models import Count
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from teams.access import Right
from teams.groups import (
    GroupRefused,
    download_allow,
    group_create,
    group_delete,
    group_members_set,
    group_rename,
)
from teams.members import members_of
from teams.models import Group, Membership
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from teams.models import User, Workspace


def _group(request: HttpRequest, group_id: int) -> tuple[User, Workspace, Group]:
    """The group if it is of the current workspace and this person may curate that; else 404."""
    user, workspace = member_of(request, Right.CURATE)
    found = Group.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    return user, workspace, get_object_or_404(found, pk=group_id)


@require_http_methods(["GET", "HEAD", "POST"])
def groups(request: HttpRequest) -> HttpResponse:
    """The groups with how many are in each; posting makes one."""
    user, workspace = member_of(request, Right.CURATE)
    if request.method == "POST":
        try:
            made = group_create(workspace=workspace, user=user, name=request.POST.get("name", ""))
        except GroupRefused as error:
            messages.error(request, str(error))
            return redirect("groups")
        return redirect("group", group_id=made.pk)
    found = Group.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    listed = found.annotate(count=Count("members"))
    return render(request, "teams/groups.html", {"groups": listed, "longest": Group.NAME})


@require_http_methods(["GET", "HEAD", "POST"])
def group(request: HttpRequest, group_id: int) -> HttpResponse:
    """One group: its name and its members; posting changes both."""
    user, workspace, found = _group(request, group_id)
    if request.method == "POST":
        keys = [int(key) for key in request.POST.getlist("members") if key.isdecimal()]
        try:
            if request.POST.get("name", found.name) != found.name:
                group_rename(group=found, user=user, name=request.POST["name"])
        except GroupRefused as error:
            messages.error(request, str(error))
            return redirect("group", group_id=group_id)
        group_members_set(group=found, user=user, members=keys)
        messages.success(request, _("The group is saved. It holds at once."))
        return redirect("group", group_id=group_id)
    held = set(found.members.values_list("pk", flat=True))
    rows = [(one, one.pk in held) for one in members_of(workspace)]
    context = {"group": found, "rows": rows, "longest": Group.NAME}
    return render(request, "teams/group.html", context)


@require_POST
def group_remove(request: HttpRequest, group_id: int) -> HttpResponse:
    user, _workspace, found = _group(request, group_id)
    group_delete(group=found, user=user)
    messages.success(request, _("The group “%(name)s” is deleted.") % {"name": found.name})
    return redirect("groups")


@require_POST
def member_download(request: HttpRequest, membership_id: int) -> HttpResponse:
    """Let a member download originals, or only see and ask."""
    user, workspace = member_of(request, Right.MANAGE)
    membership = get_object_or_404(Membership, pk=membership_id, workspace=workspace)
    said = request.POST.get("allowed", "")
    if said not in {"0", "1"}:
        raise Http404("Say whether it is allowed.")
    download_allow(membership=membership, user=user, allowed=said == "1")
    if said == "1":
        told = _("%(name)s may download originals.")
    else:
        told = _("%(name)s sees and asks, and downloads no originals.")
    messages.success(request, told % {"name": membership.user})
    return redirect("members")
