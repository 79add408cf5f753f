"""What every view asks of a signed-in request."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.http import Http404

from teams.access import Right, require

if TYPE_CHECKING:
    from django.http import HttpRequest

    from teams.models import User, Workspace


def member_of(request: HttpRequest, right: Right = Right.SEE) -> tuple[User, Workspace]:
    """The signed-in person and their current workspace, `right` checked.

    Raises Http404 for a person without any workspace and PermissionDenied without the right.
    """
    user = cast("User", request.user)
    workspace = cast("Workspace", request.workspace)  # type: ignore[attr-defined]
    if not workspace:
        raise Http404("You are not a member of any workspace yet. Ask an owner to invite you.")
    require(user, workspace, right)
    return user, workspace
