"""The page Servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from engines.shown import roles_shown
from teams.access import Right
from teams.requests import member_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def servers(request: HttpRequest) -> HttpResponse:
    user, _ = member_of(request, Right.MANAGE)
    return render(
        request,
        "engines/servers.html",
        {"roles": roles_shown(), "operator": user.is_superuser},
    )
