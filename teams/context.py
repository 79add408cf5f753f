from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings

from teams.access import Right, holds
from teams.models import Workspace

if TYPE_CHECKING:
    from django.http import HttpRequest


def workspace(request: HttpRequest) -> dict[str, Any]:
    """The current workspace, those the reader may switch to, and what they may do in it."""
    if not getattr(request, "user", None) or not request.user.is_authenticated:
        return {"mail_configured": settings.MAIL_CONFIGURED}
    current: Any = getattr(request, "workspace", None)
    return {
        "mail_configured": settings.MAIL_CONFIGURED,
        "workspace": current,
        "workspaces": Workspace.objects.visible_to(request.user),
        "may_audit": bool(current) and holds(request.user, current, Right.AUDIT),
        "may_manage": bool(current) and holds(request.user, current, Right.MANAGE),
        "may_upload": bool(current) and holds(request.user, current, Right.UPLOAD),
    }
