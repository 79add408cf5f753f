"""A run's events as server-sent events, for where sockets do not get through."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, cast

from channels.db import database_sync_to_async
from django.http import Http404, StreamingHttpResponse
from django.views.decorators.http import require_safe

from telemetry.feed import BEAT, follow, run_readable

if TYPE_CHECKING:
    import uuid
    from collections.abc import AsyncIterator

    from django.http import HttpRequest

    from teams.access import Acting
    from teams.models import User

RETRY_MS = 1000
MEDIA_TYPE = "text/event-stream"
# Streams are the second choice of a page, so they ask the rows and need no channel of their own.
AGAIN_SECONDS = 0.3


def number(text: str) -> int:
    """The number of an event, or 0 for what is none."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


@require_safe
async def run_events(request: HttpRequest, trace_id: uuid.UUID) -> StreamingHttpResponse:
    """The events after `?after=`, or after the `Last-Event-ID` that a browser sends when it reconnects."""
    user = cast("User", await request.auser())
    if not await database_sync_to_async(run_readable)(user, trace_id):
        raise Http404("No such run.")
    last = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return event_reply(user, trace_id, number(last))


def event_reply(
    user: User, trace_id: uuid.UUID, after: int, token: Acting | None = None
) -> StreamingHttpResponse:
    """The events after number `after` as a stream, read for `user` under `token`, if one is shown.

    The caller has checked that the run may be read; it is asked again for every delivery.
    """
    reply = StreamingHttpResponse(_lines(user, trace_id, after, token), content_type=MEDIA_TYPE)
    reply["Cache-Control"] = "no-cache, no-transform"
    reply["X-Accel-Buffering"] = "no"
    return reply


async def _lines(
    user: User, trace_id: uuid.UUID, after: int, token: Acting | None
) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    async for event in follow(user, trace_id, after, lambda: asyncio.sleep(AGAIN_SECONDS), token):
        if event is None:
            yield f"data: {json.dumps(BEAT)}\n\n"
        else:
            yield f"id: {event['seq']}\ndata: {json.dumps(event)}\n\n"
