"""Tells an open Corpus page that a document of its workspace changed."""

from __future__ import annotations

from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from teams.middleware import SESSION_KEY
from teams.models import Workspace
from telemetry.live import corpus_group

NOT_FOUND = 4404


class CorpusConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Joins the session's workspace. Messages carry the document's key only; the page re-reads it."""

    async def connect(self) -> None:
        self.group = ""
        self.workspace = await self._workspace()
        if self.workspace is None:
            await self.close(code=NOT_FOUND)
            return
        self.group = corpus_group(self.workspace.pk)
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def corpus_changed(self, message: dict[str, Any]) -> None:
        if not await self._readable():
            await self.close(code=NOT_FOUND)
            return
        readers = message.get("readers")
        # That something changed which others alone may read is told to them alone.
        if readers is not None and self.scope["user"].pk not in readers:
            return
        await self.send_json({"type": "corpus.changed", "document": message["document"]})

    @database_sync_to_async  # type: ignore[untyped-decorator]
    def _readable(self) -> bool:
        """Whether the workspace that was joined is readable still: another one of this person's is not it."""
        readable = Workspace.objects.visible_to(self.scope["user"])
        return bool(readable.filter(pk=self.workspace.pk).exists())

    @database_sync_to_async  # type: ignore[untyped-decorator]
    def _workspace(self) -> Workspace | None:
        readable = Workspace.objects.visible_to(self.scope["user"])
        chosen = self.scope["session"].get(SESSION_KEY)
        found: Workspace | None = readable.filter(pk=chosen).first() if chosen else None
        return found or readable.first()
