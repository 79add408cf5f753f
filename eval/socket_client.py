"""A page's socket without a page: the events of a run, with when each arrived."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container


class SocketClosed(Exception):
    """The socket was closed before the run had ended."""


@dataclass(frozen=True, slots=True)
class Event:
    """What was told, `at` seconds after the moment that `follow` was given."""

    at: float
    kind: str
    payload: dict[str, Any]


async def follow(
    url: str, cookie: str, origin: str, last: Container[str], since: float
) -> list[Event]:
    """The run's events up to one of the kinds in `last`, each with its time since `since` (monotonic).

    Raises SocketClosed when none of those came.
    """
    from websockets.asyncio.client import connect
    from websockets.typing import Origin

    events: list[Event] = []
    async with connect(url, origin=Origin(origin), additional_headers={"Cookie": cookie}) as socket:
        async for message in socket:
            said = json.loads(message)
            at = time.monotonic() - since
            events.append(Event(at, said["kind"], said.get("payload", {})))
            if said["kind"] in last:
                return events
    raise SocketClosed(f"The socket was closed after {len(events)} events.")
