"""Telling open pages that something changed, across processes, once it is committed.

A message names what changed and never carries content: whoever hears it reads the rows again under
their own rights, so a message to the wrong ear reveals nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from channels_postgres.core import PostgresChannelLayer
from django.db import connection, transaction

if TYPE_CHECKING:
    import uuid


@runtime_checkable
class Teller(Protocol):
    """A layer that can be told from any thread (`telemetry.redis_layer`)."""

    def tell(self, group: str, payload: dict[str, Any]) -> bool: ...


def run_group(trace_id: uuid.UUID) -> str:
    return f"run-{trace_id.hex}"


def corpus_group(workspace_id: uuid.UUID) -> str:
    return f"corpus-{workspace_id.hex}"


def publish(group: str, payload: dict[str, Any]) -> None:
    """Send `payload` (its `type` names the consumer's handler) to all members of `group`.

    Inside a transaction it goes out when that commits, and not at all when it is rolled back.
    """
    layer = get_channel_layer()
    if isinstance(layer, PostgresChannelLayer):
        _insert(layer, group, payload)
    elif isinstance(layer, Teller):
        transaction.on_commit(lambda: layer.tell(group, payload))
    elif layer is not None:
        transaction.on_commit(lambda: async_to_sync(layer.group_send)(group, payload))


def _insert(layer: PostgresChannelLayer, group: str, payload: dict[str, Any]) -> None:
    """The layer's own `group_send` as one statement on this thread's connection.

    Its asynchronous pool is bound to one event loop and cannot serve threads and workers; a trigger
    on the table sends the notification at commit either way.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO channels_postgres_message (channel, message, expire)"
            " SELECT DISTINCT channel, %s::bytea, now() + make_interval(secs => %s)"
            " FROM channels_postgres_groupchannel WHERE group_key = %s",
            [layer.serialize(payload), layer.expiry, f"{layer.prefix}:group:{group}"],
        )
