"""The socket of one run: stored events first, then new ones as they are stored."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from telemetry.live import run_group
from telemetry.models import RunEvent, Trace
from telemetry.names import TERMINAL_EVENTS

if TYPE_CHECKING:
    import uuid

NOT_FOUND = 4404
AGAIN_SECONDS = 1.0


class RunConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Sends `{seq, kind, payload}` for each event after `?after=`, and closes after a terminal one.

    Rights are asked again for every delivery, so that a right withdrawn in mid-run is withdrawn at once.
    """

    async def connect(self) -> None:
        self.trace_id: uuid.UUID = self.scope["url_route"]["kwargs"]["trace_id"]
        after = parse_qs(self.scope.get("query_string", b"").decode()).get("after", ["0"])[0]
        self.after = int(after) if after.isdigit() else 0
        self.group = ""
        self.delivering = asyncio.Lock()
        self.again: asyncio.Task[None] | None = None
        if not await self._readable():
            await self.close(code=NOT_FOUND)
            return
        self.group = run_group(self.trace_id)
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()
        await self._deliver()
        self.again = asyncio.create_task(self._deliver_again())

    async def disconnect(self, code: int) -> None:
        if self.again is not None:
            self.again.cancel()
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def run_event(self, message: dict[str, Any]) -> None:
        await self._deliver()

    async def _deliver_again(self) -> None:
        """The layer drops what is sent before it listens for this channel, so the rows are asked too."""
        while True:
            await asyncio.sleep(AGAIN_SECONDS)
            await self._deliver()

    async def _deliver(self) -> None:
        async with self.delivering:
            for event in await self._events():
                self.after = event["seq"]
                await self.send_json(event)
                if event["kind"] in TERMINAL_EVENTS:
                    await self.close()
                    return

    @database_sync_to_async  # type: ignore[untyped-decorator]
    def _readable(self) -> bool:
        return bool(Trace.objects.visible_to(self.scope["user"]).filter(pk=self.trace_id).exists())

    @database_sync_to_async  # type: ignore[untyped-decorator]
    def _events(self) -> list[dict[str, Any]]:
        rows = RunEvent.objects.visible_to(self.scope["user"]).filter(
            trace_id=self.trace_id, seq__gt=self.after
        )
        return [{"seq": row.seq, "kind": row.kind, "payload": row.payload} for row in rows]
