"""The channel layer over Redis, for several web hosts. Only loaded where `REDIS_URL` is set."""

from __future__ import annotations

import logging
import socket
import threading
import time
from typing import Any

import redis
from channels_redis.pubsub import RedisPubSubChannelLayer

logger = logging.getLogger(__name__)
PREFIX = "polyrag"
CONNECT_SECONDS = 2
# After Redis could not be told something, nothing is tried for so long: an answer does not wait for it.
ASIDE_SECONDS = 5.0
# A link that is cut says nothing: a ping goes out each 5 s, and what is not acknowledged for 10 s is over.
PING_SECONDS = 5
SILENT_MS = 10_000


def link() -> dict[str, Any]:
    """Options by which a dead link to Redis is noticed, for any of its clients."""
    options: dict[int, int] = {}
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        options[socket.TCP_USER_TIMEOUT] = SILENT_MS
    return {
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_keepalive": True,
        "socket_keepalive_options": options,
        "health_check_interval": PING_SECONDS,
    }


class ChannelLayer(RedisPubSubChannelLayer):  # type: ignore[misc]
    """Publish and subscribe: nothing is stored in Redis, so nothing is lost with it.

    A message says only that rows changed, and whoever waits for rows also asks for them by itself. The
    kept library subscribes anew by itself when Redis comes back.
    """

    def __init__(self, *, url: str) -> None:
        super().__init__(hosts=[{"address": url, **link()}], prefix=PREFIX)
        self._client = redis.Redis.from_url(url, socket_timeout=CONNECT_SECONDS, **link())
        self._lock = threading.Lock()
        self._aside_until = 0.0

    def tell(self, group: str, payload: dict[str, Any]) -> bool:
        """Send to a group from any thread; gives whether Redis took it. Never raises for a Redis that is
        away: what was to be told is committed, and is found without being told, only later.

        The library's own `group_send` belongs to an event loop, which threads and workers do not have.
        """
        with self._lock:
            if time.monotonic() < self._aside_until:
                return False
        try:
            self._client.publish(f"{PREFIX}__group__{group}", self.serialize(payload))
        except redis.RedisError as error:
            logger.warning("Redis could not be told of a change: %s", error)
            with self._lock:
                self._aside_until = time.monotonic() + ASIDE_SECONDS
            return False
        return True
