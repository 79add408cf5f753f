"""Addresses under /api/: version 1, its schema and its page."""

from __future__ import annotations

import functools
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from django.urls import path, re_path
from ninja.openapi.docs import Swagger

from retrieval.api import (
    anchors,
    asking,
    conversations,
    documents,
    labels,
    members,
    overseeing,
    rerouting,
    sharing,
    traces,
)
from retrieval.api.auth import AUTH
from retrieval.api.described import Api
from retrieval.api.media import JsonParser
from retrieval.api.problems import handlers_add, not_found

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

DOCS = "openapi-view"


api = Api(
    title="PolyRAG",
    version="1",
    description="Ask questions of your team's documents and tables. Every answer names its sources.",
    urls_namespace="api",
    auth=AUTH,
    docs=Swagger({"validatorUrl": None}),
    parser=JsonParser(),
)
for _router in (
    documents,
    sharing,
    asking,
    conversations,
    traces,
    members,
    anchors,
    rerouting,
    labels,
    overseeing,
):
    api.add_router("/v1", _router.router)
handlers_add(api)


def _public(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view with its own answer to who is not signed in, instead of the way to the sign-in page."""
    if iscoroutinefunction(view):

        @functools.wraps(view)
        async def later(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            reply: HttpResponseBase = await view(request, *args, **kwargs)
            return reply

        later.login_required = False  # type: ignore[attr-defined]
        return later

    @functools.wraps(view)
    def now(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        reply: HttpResponseBase = view(request, *args, **kwargs)
        return reply

    now.login_required = False  # type: ignore[attr-defined]
    return now


def _urls() -> tuple[list[Any], str, str]:
    """All operations and the schema speak for themselves; the page for trying them wants a sign-in."""
    found, app_name, namespace = api.urls
    patterns: list[Any] = list(found)
    for pattern in patterns:
        if pattern.name not in (DOCS, "api-root"):
            pattern.callback = _public(pattern.callback)
    kept = [pattern for pattern in patterns if pattern.name != "api-root"]
    root = path("", _public(not_found), name="api-root")
    return [root, *kept, re_path(r"^.*$", _public(not_found))], app_name, namespace


urls = _urls()
