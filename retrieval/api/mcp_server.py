"""The MCP endpoint: `ask`, `search` and `documents` for programs that speak the Model Context Protocol.

Each request is answered on its own by the kept SDK, without sessions, so that any web process can answer it.
It comes through Django like every other: the token's middleware, its scope and its rates hold here too.
"""

import asyncio
import time
from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from functools import cache
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from corpus.listing import Asked, documents_listed, rows_of
from engines.errors import EngineError
from retrieval.api.documents import document_shown
from retrieval.api.shown import hit_shown, run_shown
from retrieval.errors import QuestionRefused
from retrieval.options import options_parse
from retrieval.search import passages_search
from teams.access import Right
from teams.models import User, Workspace
from teams.problems import problem
from teams.requests import member_of
from telemetry.models import RunState, Trace
from telemetry.services import run_settle_dead

ANSWER_SECONDS = 120.0
REQUEST_SECONDS = 150.0
AGAIN_SECONDS = 0.1
MOST, LONGEST = 50, 200
_request: ContextVar[HttpRequest] = ContextVar("mcp_request")


def _plainly[T](work: Callable[[], T]) -> T:
    """What a service refuses is told to the caller in its words."""
    try:
        return work()
    except (QuestionRefused, EngineError) as error:
        raise ToolError(str(error)) from error
    except PermissionDenied as error:
        raise ToolError(str(error) or _("You do not have the right to do this here.")) from error
    except Http404 as error:
        raise ToolError(_("There is nothing here, or it is not yours to read.")) from error


def _member(right: Right) -> tuple[User, Workspace]:
    return member_of(_request.get(), right)


def _begin(question: str) -> tuple[User, Trace]:
    from retrieval.runs import run_start

    user, workspace = _member(Right.ASK)
    return user, run_start(workspace=workspace, user=user, question=question)


def _look(user: User, trace: Trace, *, whole: bool) -> dict[str, Any] | None:
    """The run when it has ended, or with `whole` as it stands."""
    rows = Trace.objects.visible_to(user).select_related("workspace", "user")
    found = rows.filter(pk=trace.pk).first()
    if found is None:
        raise Http404
    run_settle_dead(trace=found)
    if found.state == RunState.RUNNING and not whole:
        return None
    shown = run_shown(found, user)
    kept = ("state", "answer", "sources", "unsupported", "error")
    return {"id": str(found.pk), **{name: shown[name] for name in kept}}


async def ask(question: str) -> dict[str, Any]:
    """Answer a question from the workspace's documents and tables. Its markers [n] name `sources`."""
    user, trace = await sync_to_async(_plainly)(lambda: _begin(question))
    until = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < until:
        shown = await sync_to_async(_plainly)(lambda: _look(user, trace, whole=False))
        if shown is not None:
            return shown
        await asyncio.sleep(AGAIN_SECONDS)
    last = await sync_to_async(_plainly)(lambda: _look(user, trace, whole=True))
    return cast("dict[str, Any]", last)


async def search(question: str, top_k: int = 8) -> dict[str, Any]:
    """The passages nearest to a question, best first, each with its document; `top_k` is 1 to 50."""

    def work() -> dict[str, Any]:
        user, workspace = _member(Right.ASK)
        options = options_parse({"top_k": top_k})
        found = passages_search(workspace=workspace, user=user, question=question, options=options)
        return {"passages": [hit_shown(hit) for hit in found.hits], "note": found.note}

    return await sync_to_async(_plainly)(work)


async def documents(name_contains: str = "", offset: int = 0) -> dict[str, Any]:
    """The documents that can be asked about, 50 at a time from `offset` on, and how many there are."""

    def work() -> dict[str, Any]:
        user, workspace = _member(Right.SEE)
        words = name_contains.replace("\x00", "").encode("utf-8", "replace").decode()[:LONGEST]
        rows = documents_listed(workspace, user, Asked(q=words))
        begin = min(max(offset, 0), 1_000_000)
        held = rows_of(rows[begin : begin + MOST], parts=False)
        items = [{**document_shown(row), "id": str(row.document.pk)} for row in held]
        for item in items:
            item["created_at"] = item["created_at"].isoformat()
        return {"documents": items, "count": rows.count()}

    return await sync_to_async(_plainly)(work)


@cache
def _server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        "PolyRAG",
        instructions="Answers from a team's own documents and tables, each with its sources.",
        log_level="WARNING",
        subscriptions=False,
    )
    for tool in (ask, search, documents):
        server.add_tool(tool)
    return server


@csrf_exempt
async def mcp(request: HttpRequest) -> HttpResponse:
    """One message of the streamable HTTP transport. A service token is asked for; sessions do not count."""
    if getattr(request, "token", None) is None:
        said = _("Show a valid service token.")
        return problem(401, said, headers={"WWW-Authenticate": "Bearer"})
    if request.method != "POST":
        return problem(405, headers={"Allow": "POST"})
    held = _request.set(request)
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            return await _answered(request)
    except TimeoutError:
        return problem(504)
    finally:
        _request.reset(held)


mcp.login_required = False  # type: ignore[attr-defined]


async def _answered(request: HttpRequest) -> HttpResponse:
    """The SDK's own reply, for a request of the shape that it knows."""
    body, reply = request.body, HttpResponse()
    del reply["Content-Type"]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            reply.status_code = message["status"]
            for name, value in message.get("headers", []):
                reply[name.decode("latin-1")] = value.decode("latin-1")
        else:
            reply.write(message.get("body", b""))

    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
    ]
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }
    # Hosts are checked by Django before.
    trusted = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(
        _server()._lowlevel_server, json_response=True, stateless=True, security_settings=trusted
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return reply
