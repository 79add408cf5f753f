"""Questions: asked, waited for or followed by events, stopped, looked at; and passages searched."""

import asyncio
import time
import uuid
from typing import Annotated, Any

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import HeaderEx, Query, QueryEx, Router
from ninja.responses import Status as Reply

from retrieval.api import schemas
from retrieval.api.paging import Paging, page_of
from retrieval.api.schemas import answers
from retrieval.api.shown import hit_shown, run_shown, trace_row
from retrieval.options import options_parse
from retrieval.search import passages_search
from retrieval.shown import source_view
from teams.access import Acting, Right, acting_now
from teams.models import User
from teams.requests import member_of
from telemetry.models import Conversation, RunState, Trace
from telemetry.services import run_settle_dead
from telemetry.sse import MEDIA_TYPE, event_reply, number

router = Router(tags=["questions"])
ONE = "/runs/{uuid:run_id}"
AGAIN_SECONDS = 0.1
EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "the number of the event; a beat has none"},
        "data": {"type": "string", "description": "JSON with seq, kind and payload"},
    },
    "required": ["data"],
}
STREAM = {MEDIA_TYPE: {"schema": EVENT}}


def trace_of(
    request: HttpRequest, run_id: uuid.UUID, right: Right = Right.SEE
) -> tuple[User, Trace]:
    """The run if the caller may read it; else 404, as for one that is not there."""
    user, workspace = member_of(request, right)
    rows = Trace.objects.visible_to(user).in_workspace(workspace)
    trace: Trace = get_object_or_404(rows.select_related("workspace", "user"), pk=run_id)
    return user, trace


def _begin(request: HttpRequest, body: schemas.AskIn) -> tuple[User, Trace, Acting | None]:
    from retrieval.runs import run_start

    user, workspace = member_of(request, Right.ASK)
    talk = None
    if body.conversation is not None:
        own = Conversation.objects.visible_to(user, Right.ASK).in_workspace(workspace)
        talk = get_object_or_404(own.filter(user=user), pk=body.conversation)
    trace = run_start(
        workspace=workspace,
        user=user,
        question=body.question,
        options=options_parse(body.options),
        conversation=talk,
    )
    return user, trace, acting_now()


def _look(user: User, run_id: uuid.UUID, *, whole: bool) -> dict[str, Any] | None:
    """The run once it has ended, or with `whole` as it stands; None while it goes on."""
    rows = Trace.objects.visible_to(user).select_related("workspace", "user")
    trace = rows.filter(pk=run_id).first()
    if trace is None:
        raise Http404
    run_settle_dead(trace=trace)
    return run_shown(trace, user) if whole or trace.state != RunState.RUNNING else None


@router.post(
    "/ask",
    response=answers({200: schemas.Run, 202: schemas.Run}),
    openapi_extra={"responses": {200: {"description": "OK", "content": STREAM}}},
)
async def ask(
    request: HttpRequest,
    body: schemas.AskIn,
    accept: Annotated[str, HeaderEx("", include_in_schema=False)] = "",
) -> Any:
    """Ask a question. With `Accept: text/event-stream` the reply is the run's events as they happen.

    Otherwise it is the answered run, or 202 with the run as it stands when `wait` seconds are over; a GET
    of its `Location` asks again. Without a `conversation` another one begins.
    """
    user, trace, token = await sync_to_async(_begin)(request, body)
    if MEDIA_TYPE in accept:
        return event_reply(user, trace.pk, 0, token)
    look = sync_to_async(_look)
    until = time.monotonic() + body.wait
    shown = await look(user, trace.pk, whole=False)
    while shown is None and time.monotonic() < until:
        await asyncio.sleep(AGAIN_SECONDS)
        shown = await look(user, trace.pk, whole=False)
    if shown is not None:
        return Reply(200, shown)
    return Reply(202, await look(user, trace.pk, whole=True))


@router.get(ONE, response=answers({200: schemas.Run}))
def run_get(request: HttpRequest, run_id: uuid.UUID) -> Any:
    """A run as it stands: its answer, its sources, and how each part was decided."""
    user, trace = trace_of(request, run_id)
    run_settle_dead(trace=trace)
    return run_shown(trace, user)


def _readable(request: HttpRequest, run_id: uuid.UUID) -> tuple[User, Acting | None]:
    user, _trace = trace_of(request, run_id)
    return user, acting_now()


@router.get(
    f"{ONE}/events",
    response=answers({200: str}),
    openapi_extra={"responses": {200: {"description": "The events.", "content": STREAM}}},
)
async def run_events(
    request: HttpRequest,
    run_id: uuid.UUID,
    after: Annotated[
        int, QueryEx(0, ge=0, le=1_000_000_000, description="the last number seen")
    ] = 0,
    last: Annotated[str, HeaderEx("", alias="Last-Event-ID", include_in_schema=False)] = "",
) -> StreamingHttpResponse:
    """The run's events as server-sent events, ending with the terminal one."""
    user, token = await sync_to_async(_readable)(request, run_id)
    return event_reply(user, run_id, number(last) or after, token)


@router.post(f"{ONE}/cancel", response=answers({200: schemas.Run}))
def run_cancel(request: HttpRequest, run_id: uuid.UUID) -> Any:
    """Stop a run of one's own; what it had told is kept."""
    from retrieval.runs import run_cancel as cancel

    user, trace = trace_of(request, run_id)
    if trace.user_id != user.pk:
        raise Http404
    cancel(trace=trace, user=user)
    trace.refresh_from_db()
    return run_shown(trace, user)


@router.get(f"{ONE}/sources/{{int:n}}", response=answers({200: schemas.Passage}))
def run_source(request: HttpRequest, run_id: uuid.UUID, n: int) -> Any:
    """What a marker [n] of the answer cites, as the caller may read it now."""
    user, trace = trace_of(request, run_id)
    shown = source_view(trace, user, n)
    if shown is None:
        raise Http404
    cited, table = shown.citation, shown.table or {}
    return {
        "n": n,
        "document": cited["document"],
        "document_id": str(cited.get("document_id", "")),
        "heading_path": cited.get("heading_path", ""),
        "page": cited.get("page"),
        "text": shown.passage.text if shown.passage is not None else "",
        "sql": "" if shown.withdrawn else cited.get("sql", ""),
        "columns": table.get("columns", []),
        "rows": table.get("rows", []),
        "withdrawn": shown.withdrawn,
    }


@router.get("/history", response=answers({200: schemas.Traces}))
def history(request: HttpRequest, paging: Query[Paging]) -> Any:
    """The caller's own questions, the last one first."""
    user, workspace = member_of(request)
    own = Trace.objects.visible_to(user).in_workspace(workspace).filter(user=user)
    rows, told = page_of(own.select_related("user"), paging)
    return {**told, "items": [trace_row(row) for row in rows]}


@router.post("/search", response=answers({200: schemas.Hits}))
def search(request: HttpRequest, body: schemas.SearchIn) -> Any:
    """Passages nearest to a question, without an answer. Nothing is stored."""
    user, workspace = member_of(request, Right.ASK)
    options = options_parse(body.options)
    found = passages_search(workspace=workspace, user=user, question=body.question, options=options)
    return {"items": [hit_shown(hit) for hit in found.hits], "note": found.note}
