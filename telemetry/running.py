"""The runs of this process: a beat that says that they live, and a sign when one was ended elsewhere.

A run may be ended by another request or another process (cancelled, or taken for dead). Its thread
learns of it from `stop_check`, which it calls wherever it can stop.
"""

from __future__ import annotations

import contextvars
import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.db import DatabaseError, connection
from django.utils import timezone

from telemetry.models import RunState, Trace

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator

logger = logging.getLogger(__name__)
BEAT_SECONDS = 2.0
# So many beats may be missed before a run is taken for dead.
DEAD_SECONDS = 30.0


class RunSettled(Exception):
    """The run that this thread works on was ended by someone else. There is nothing left to do."""


class _Process:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: dict[uuid.UUID, threading.Event] = {}
        self._beating = False

    def begin(self, trace_id: uuid.UUID) -> threading.Event:
        with self._lock:
            stop = self._stops.setdefault(trace_id, threading.Event())
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._beat, name="run-beat", daemon=True).start()
        return stop

    def end(self, trace_id: uuid.UUID) -> None:
        with self._lock:
            self._stops.pop(trace_id, None)

    def stop(self, trace_id: uuid.UUID) -> None:
        """Tell the run's thread at once, if it is one of this process; others learn it by the beat."""
        with self._lock:
            if trace_id in self._stops:
                self._stops[trace_id].set()

    def _beat(self) -> None:
        """Runs while there is something to beat for."""
        idle = threading.Event()
        while not idle.wait(BEAT_SECONDS):
            with self._lock:
                held = dict(self._stops)
                if not held:
                    self._beating = False
                    return
            try:
                for trace_id in set(held) - runs_beat(list(held)):
                    held[trace_id].set()
            except DatabaseError as error:
                logger.warning("Runs could not be marked as alive: %s", error)
            finally:
                connection.close()


_process = _Process()
begin, end, stop = _process.begin, _process.end, _process.stop
_current: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar(
    "polyrag_run_stop", default=None
)


def runs_beat(trace_ids: list[uuid.UUID]) -> set[uuid.UUID]:
    """Mark those of the runs that still go on as alive now; gives their keys."""
    going = Trace.objects.filter(pk__in=trace_ids, state=RunState.RUNNING)
    going.update(alive_at=timezone.now())
    return set(going.values_list("pk", flat=True))


@contextmanager
def stopped_by(sign: threading.Event) -> Iterator[None]:
    """`stop_check` looks at `sign` within the block, and in threads that run in a copy of its context."""
    token = _current.set(sign)
    try:
        yield
    finally:
        _current.reset(token)


def stop_check() -> None:
    """Raise RunSettled when the run of this context was ended by someone else."""
    sign = _current.get()
    if sign is not None and sign.is_set():
        raise RunSettled
