"""Lets a web process learn of changed engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.rows import rows_refresh

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse


class EnginesMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        rows_refresh()
        return self.get_response(request)
