"""Puts the reader's current workspace on the request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.functional import SimpleLazyObject

from teams.models import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

SESSION_KEY = "workspace"


def workspace_current(request: HttpRequest) -> Workspace | None:
    """The workspace chosen in this session if it is still readable, else the first readable one."""
    readable = Workspace.objects.visible_to(request.user)
    chosen = request.session.get(SESSION_KEY)
    found: Workspace | None = readable.filter(pk=chosen).first() if chosen else None
    return found or readable.first()


class WorkspaceMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.workspace = SimpleLazyObject(lambda: workspace_current(request))  # type: ignore[attr-defined]
        return self.get_response(request)
