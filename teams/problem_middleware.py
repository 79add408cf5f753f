"""Gives programs every error as problem details, also those that no view of the API raised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from teams.problems import MEDIA_TYPE, problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

# Django's own error pages, and those of the framework; what speaks JSON already is left as it is.
PAGES = ("text/html", "text/plain")
UNREAD = "The request cannot be read, or its host is not served here."


class ProblemMiddleware:
    """Turns error pages under the paths of programs into problem details; stands before all others.

    A host that is not served, a wrong method and a failure of the server never reach the API's own
    handlers. The reply keeps its headers (`Allow`, `Retry-After`, those of security), and tells nothing
    of what went wrong inside.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        reply = self.get_response(request)
        if reply.status_code < 400 or not request.path_info.startswith(tuple(settings.TOKEN_PATHS)):
            return reply
        if reply.streaming or not reply.headers.get("Content-Type", "").startswith(PAGES):
            return reply
        told = problem(reply.status_code, UNREAD if reply.status_code == 400 else "")
        reply.content = told.content
        reply.headers["Content-Type"] = MEDIA_TYPE
        reply.headers["Content-Length"] = str(len(told.content))
        return reply
