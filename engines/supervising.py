"""The supervisor of model servers: starts, watches, restarts and stops them, as the rows wish it.

It is a process of its own, so that web processes come and go beside it. One at a time: it holds an advisory
lock of the database. What a killed supervisor has left running is ended by the next one, which knows it by
the row's process number and the server's port in its command line.
"""

from __future__ import annotations

import contextlib
import logging
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from django.conf import settings
from django.db import connection
from django.utils import timezone

from engines.models import ManagedServer, ServerState, Wish
from engines.probing import server_speed, server_state, server_wake

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.managed import ManagedSpec

logger = logging.getLogger(__name__)
LOCK = 0x506F6C79
GRACE_SECONDS = 10.0
# After a crash it waits, twice as long each time, until it has run steadily for a while.
FIRST_WAIT, LONGEST_WAIT, STEADY_SECONDS = 1.0, 60.0, 60.0
TAIL_LINES, TAIL_BYTES = 40, 16_384


@dataclass(slots=True)
class Watched:
    """One server with its process. Times are of the monotonic clock."""

    spec: ManagedSpec
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    crashes: int = 0
    not_before: float = 0.0
    said: str = ""
    restarts: int = 0

    @property
    def log(self) -> Path:
        return Path(settings.DATA_DIR) / "logs" / f"server-{self.spec.name}.log"

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.started = time.monotonic()
        try:
            with self.log.open("wb") as output:
                # A session of its own, so that Ctrl-C reaches the supervisor alone.
                self.process = subprocess.Popen(  # noqa: S603 - the operator's own file names it
                    self.spec.command(), stdout=output, stderr=output, start_new_session=True
                )
        except OSError as error:
            self._crashed(f"{self.spec.binary} cannot be started: {error.strerror}.")

    def watch(self) -> None:
        """Notice that the process has ended by itself."""
        code = self.process.poll() if self.process else None
        if code is not None:
            self.process = None
            self._crashed(f"It ended by itself with code {code}.")

    def _crashed(self, said: str) -> None:
        steady = time.monotonic() - self.started > STEADY_SECONDS
        self.crashes = 1 if steady else self.crashes + 1
        wait = min(FIRST_WAIT * 2.0 ** min(self.crashes - 1, 16), LONGEST_WAIT)
        self.not_before = time.monotonic() + wait
        self.restarts += 1
        self.said = f"{said} It is started again in {wait:.0f} s."
        logger.warning("%s: %s", self.spec.name, self.said)

    def stop(self) -> None:
        if self.process is not None:
            end_process(psutil.Process(self.process.pid))
            self.process.wait()
            self.process = None
        self.crashes, self.not_before, self.said = 0, 0.0, ""

    def tail(self) -> str:
        if not self.log.exists():
            return ""
        with self.log.open("rb") as held:
            held.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
            text = held.read().decode("utf-8", "replace").replace("\x00", "")
        return "\n".join(text.splitlines()[-TAIL_LINES:])


class Supervisor:
    """`tick` once a second; `stop` at the end. Holds the rows of the servers that its file names."""

    def __init__(self, specs: Sequence[ManagedSpec]) -> None:
        self._watched = [Watched(spec) for spec in specs]

    def begin(self) -> bool:
        """Take the lock, clear what a killed one left and make the rows; False when another holds it."""
        if not self.lock():
            return False
        for row in ManagedServer.objects.exclude(pid=None):
            _end_left(row, [watched.spec for watched in self._watched])
        names = [watched.spec.name for watched in self._watched]
        ManagedServer.objects.exclude(name__in=names).delete()
        for watched in self._watched:
            wish = Wish.RUN if watched.spec.autostart else Wish.STOP
            ManagedServer.objects.get_or_create(name=watched.spec.name, defaults={"wish": wish})
        return True

    def lock(self) -> bool:
        """Take the lock on this connection; False when another supervisor holds it."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
            return bool(cursor.fetchone()[0])

    def tick(self) -> None:
        """See what is wished of each server, do it, and write down how it is."""
        rows = {row.name: row for row in ManagedServer.objects.all()}
        for watched in self._watched:
            if row := rows.get(watched.spec.name):
                self._one(watched, row)

    def stop(self) -> None:
        """End all servers and give the lock back."""
        for watched in self._watched:
            watched.stop()
            self._write(watched, ServerState.STOPPED)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])

    def _one(self, watched: Watched, row: ManagedServer) -> None:
        watched.watch()
        if row.wish == Wish.STOP:
            watched.stop()
        elif watched.process is None and time.monotonic() >= watched.not_before:
            watched.start()
        state = self._state(watched, row)
        if row.wake:
            ManagedServer.objects.filter(pk=row.pk).update(wake=False)
            if state == ServerState.ASLEEP:
                server_wake(watched.spec.url)
        self._write(watched, state)

    def _state(self, watched: Watched, row: ManagedServer) -> ServerState:
        if watched.process is None:
            return ServerState.STOPPED if row.wish == Wish.STOP else ServerState.FAILED
        state = server_state(watched.spec.url)
        if state in {ServerState.UP, ServerState.ASLEEP}:
            watched.said = ""
        return state

    def _write(self, watched: Watched, state: ServerState) -> None:
        tail = watched.tail()
        changes: dict[str, Any] = {
            "state": state,
            "said": watched.said,
            "pid": watched.process.pid if watched.process else None,
            "restarts": watched.restarts,
            "memory_bytes": _memory(watched),
            "log_tail": tail,
            "seen_at": timezone.now(),
        }
        # What the log tells no longer stays as it was.
        if speed := server_speed(tail):
            changes["tokens_per_second"] = speed
        ManagedServer.objects.filter(name=watched.spec.name).update(**changes)


def _memory(watched: Watched) -> int | None:
    """Bytes that the process holds in memory."""
    if watched.process is None:
        return None
    try:
        return int(psutil.Process(watched.process.pid).memory_info().rss)
    except psutil.Error:
        return None


def end_process(process: psutil.Process) -> None:
    """Ask a process to end, and end it when it does not within GRACE_SECONDS."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()


def _end_left(row: ManagedServer, specs: Sequence[ManagedSpec]) -> None:
    """End the server of a killed supervisor, if that process number is still its own."""
    spec = next((spec for spec in specs if spec.name == row.name), None)
    try:
        process = psutil.Process(row.pid)
        command = process.cmdline()
    except psutil.Error:
        return
    if spec is not None and command[-len(spec.command()) + 1 :] == spec.command()[1:]:
        logger.info("Ending %s, which a killed supervisor left behind.", row.name)
        end_process(process)
