"""The socket of one run: stored events first, then new ones as they are stored."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.db import DatabaseError

from telemetry.feed import BEAT, follow, run_readable
from telemetry.live import run_group
from telemetry.sse import number

if TYPE_CHECKING:
    import uuid

logger = logging.getLogger(__name__)
NOT_FOUND, AGAIN = 4404, 1011
AGAIN_SECONDS = 1.0


class RunConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Sends `{seq, kind, payload}` for each event after `?after=`, and closes after a terminal one.

    `{"kind": "beat"}` comes when there is nothing else to say, so that a page knows a dead link.
    """

    async def connect(self) -> None:
        self.trace_id: uuid.UUID = self.scope["url_route"]["kwargs"]["trace_id"]
        after = parse_qs(self.scope.get("query_string", b"").decode()).get("after", [""])[0]
        self.group = ""
        self.told = asyncio.Event()
        self.sending: asyncio.Task[None] | None = None
        if not await database_sync_to_async(run_readable)(self.scope["user"], self.trace_id):
            await self.close(code=NOT_FOUND)
            return
        self.group = run_group(self.trace_id)
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()
        self.sending = asyncio.create_task(self._send_all(number(after)))

    async def disconnect(self, code: int) -> None:
        if self.sending is not None:
            self.sending.cancel()
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def run_event(self, message: dict[str, Any]) -> None:
        self.told.set()

    async def _news(self) -> None:
        """The layer drops what is sent before it listens for this channel, so the rows are asked too."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(AGAIN_SECONDS):
                await self.told.wait()
        self.told.clear()

    async def _send_all(self, after: int) -> None:
        try:
            async for event in follow(self.scope["user"], self.trace_id, after, self._news):
                await self.send_json(event or BEAT)
        except DatabaseError:
            # The page connects again and goes on after the last event that it has.
            logger.exception("The events of run %s could not be read.", self.trace_id)
            await self.close(code=AGAIN)
            return
        await self.close()
