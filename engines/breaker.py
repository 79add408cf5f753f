"""A circuit breaker: a server that failed several times in a row is left alone for a while.

Closed, it lets every request through. After `limit` failures in a row it opens and refuses at once, so that
nobody waits for a server that is down. When `rest` seconds are over it lets one request through (half
open): if that succeeds it closes, if it fails it opens for twice as long, up to `longest` (M. Nygard,
"Release It!", 2007).
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT, REST_SECONDS, LONGEST_SECONDS = 3, 5.0, 60.0


class Breaker:
    """Safe to use from several threads. `clock` gives seconds that only grow."""

    def __init__(
        self,
        limit: int = LIMIT,
        rest: float = REST_SECONDS,
        longest: float = LONGEST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._rest, self._longest, self._clock = limit, rest, longest, clock
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0
        self._probing = False
        self.reason = ""

    def admits(self) -> bool:
        """Whether a request may go out now. Whoever is let through must call `succeeded`, `failed` or
        `given_up`."""
        with self._lock:
            if self._failures < self._limit:
                return True
            if self._probing or self._clock() < self._until:
                return False
            self._probing = True
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures, self._probing, self.reason = 0, False, ""

    def given_up(self) -> None:
        """The request ended without telling how the server is: somebody stopped it."""
        with self._lock:
            self._probing = False

    def failed(self, reason: str) -> None:
        with self._lock:
            self._failures += 1
            self._probing, self.reason = False, reason
            over = self._failures - self._limit
            if over >= 0:
                # No more doublings than are needed for the longest rest, however often it fails.
                self._until = self._clock() + min(self._rest * 2.0 ** min(over, 16), self._longest)

    @property
    def rests(self) -> float:
        """For how many seconds nothing is let through; 0 when requests are."""
        with self._lock:
            left = self._until - self._clock() if self._failures >= self._limit else 0.0
            return max(0.0, left)
