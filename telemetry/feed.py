"""Delivers a run's events to whoever may read it: stored ones first, then new ones as they are stored.

The socket and the stream of server-sent events both follow a run through `follow`, so that they give
the same events in the same order. Rights are asked again for every delivery, so that a right that is
withdrawn in mid-run is withdrawn at once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from channels.db import database_sync_to_async

from teams.access import acting
from telemetry.models import RunEvent, Trace
from telemetry.names import TERMINAL_EVENTS
from telemetry.narrowing import trace_whole
from telemetry.services import run_settle_dead

if TYPE_CHECKING:
    import uuid
    from collections.abc import AsyncIterator, Awaitable, Callable

    from django.contrib.auth.models import AnonymousUser

    from teams.access import Acting
    from teams.models import User

# Proxies close what is silent for 30 to 60 seconds.
BEAT_SECONDS = 15.0
BEAT = {"kind": "beat"}
WITHDRAWN = {"withdrawn": True}


def run_readable(user: User | AnonymousUser, trace_id: uuid.UUID) -> bool:
    return bool(Trace.objects.visible_to(user).filter(pk=trace_id).exists())


def events_after(
    user: User | AnonymousUser, trace_id: uuid.UUID, after: int
) -> list[dict[str, Any]]:
    """The run's events after number `after`, as `{seq, kind, payload}`; none for who may not read it.

    Who may not read all that the run could lean on is told what happened, without its content: the page
    reads again what they may see.
    """
    rows = RunEvent.objects.visible_to(user).filter(trace_id=trace_id, seq__gt=after)
    found = list(rows.select_related("trace"))
    if not found:
        return []
    whole = trace_whole(found[0].trace, user)
    return [
        {"seq": row.seq, "kind": row.kind, "payload": row.payload if whole else dict(WITHDRAWN)}
        for row in found
    ]


def _goes_on(user: User | AnonymousUser, trace_id: uuid.UUID, after: int) -> bool:
    """Settle the run if its process died; gives whether `user` may still read it and anything can come.

    Nothing can once its terminal event is not behind number `after`: who asks from there on has it, or
    made the number up.
    """
    trace = Trace.objects.visible_to(user).filter(pk=trace_id).first()
    if trace is None:
        return False
    run_settle_dead(trace=trace)
    return not trace.events.filter(kind__in=TERMINAL_EVENTS, seq__lte=after).exists()


def _under[**P, T](token: Acting | None, read: Callable[P, T]) -> Callable[P, T]:
    def narrowed(*args: P.args, **kwargs: P.kwargs) -> T:
        with acting(token):
            return read(*args, **kwargs)

    return narrowed


async def follow(
    user: User | AnonymousUser,
    trace_id: uuid.UUID,
    after: int,
    news: Callable[[], Awaitable[object]],
    token: Acting | None = None,
) -> AsyncIterator[dict[str, Any] | None]:
    """The events after number `after` as they are stored, ending with the terminal one.

    `news` waits until the rows are worth asking again. None comes in between at least every
    BEAT_SECONDS: a heartbeat. Ends early when `user` may no longer read the run. Who follows it by a service
    token gives it as `token`: the generator outlives the request in which the token was shown.
    """
    events = database_sync_to_async(_under(token, events_after))
    goes_on = database_sync_to_async(_under(token, _goes_on))
    told = time.monotonic()
    if not await goes_on(user, trace_id, after):
        return
    while True:
        for event in await events(user, trace_id, after):
            after = event["seq"]
            yield event
            told = time.monotonic()
            if event["kind"] in TERMINAL_EVENTS:
                return
        if time.monotonic() - told >= BEAT_SECONDS:
            if not await goes_on(user, trace_id, after):
                return
            yield None
            told = time.monotonic()
        await news()
