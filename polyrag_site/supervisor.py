"""Web server and worker as children that live and end together."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HOST = "127.0.0.1"
GRACE_SECONDS = 10
# A worker that dies is started again, unless it dies at once each time.
RESTARTS, STEADY_SECONDS = 5, 30


class NoPort(Exception):
    """No free port was found; the message says which were tried."""


def free_port(first: int, tries: int = 50) -> int:
    """The first port from `first` on that nobody listens on."""
    for port in range(first, first + tries):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise NoPort(
        f"Ports {first} to {first + tries - 1} are all taken. Name another with --port NUMBER."
    )


@dataclass(slots=True)
class Child:
    name: str
    command: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    restarts: int = 0

    def start(self) -> None:
        # A session of its own, so that Ctrl-C reaches the supervisor alone and it ends the children.
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(  # noqa: S603
                self.command, stdout=output, stderr=output, start_new_session=True
            )
        self.started = time.monotonic()

    def exit_code(self) -> int | None:
        return None if self.process is None else self.process.poll()

    def ask_to_stop(self) -> None:
        """To the child alone: a job cluster whose helpers are stopped beside it waits for them forever."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """The child and all that it has started, such as the helpers of a killed job cluster."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def stop(self) -> None:
        if self.process is None:
            return
        self.ask_to_stop()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_SECONDS)
        self.kill()

    def tail(self) -> str:
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])


@dataclass(slots=True)
class Supervisor:
    """Starts both children, starts a dead worker again, and stops all at the end."""

    port: int
    logs: Path
    children: list[Child] = field(default_factory=list)

    def start(self, manage: Path) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        web = [sys.executable, "-m", "daphne", "-b", HOST, "-p", str(self.port)]
        web += ["--no-server-name", "polyrag_site.asgi:application"]
        worker = [sys.executable, str(manage), "worker"]
        for name, command in (("web", web), ("worker", worker)):
            log = self.logs / f"{name}.log"
            log.unlink(missing_ok=True)
            child = Child(name, command, log)
            child.start()
            self.children.append(child)

    def check(self) -> str:
        """Why the whole cannot go on, or nothing. A worker that died is started again."""
        for child in self.children:
            code = child.exit_code()
            if code is None:
                continue
            steady = time.monotonic() - child.started > STEADY_SECONDS
            child.restarts = 0 if steady else child.restarts + 1
            if child.name == "web" or child.restarts > RESTARTS:
                return f"The {child.name} ended with code {code}. Its last lines:\n{child.tail()}"
            child.kill()
            child.start()
        return ""

    def stop(self) -> None:
        for child in self.children:
            child.ask_to_stop()
        for child in self.children:
            child.stop()
        self.children.clear()
