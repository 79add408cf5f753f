"""Hosts as network namespaces on one bridge: each has an address, a link that can be cut, and processes.

Needs root, iproute2 and redis-server. Everything made here is named `pr9-…` and taken away at the end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
NET = "10.93.0"
SWITCH = "pr9-switch"


def missing() -> str:
    """Why hosts cannot be made here, or nothing."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "redis-server"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    made = subprocess.run(["ip", "netns", "add", "pr9-probe"], capture_output=True, check=False)
    if made.returncode:
        return f"network namespaces are not allowed here: {made.stderr.decode().strip()}"
    subprocess.run(["ip", "netns", "delete", "pr9-probe"], check=True)
    return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass(slots=True)
class Host:
    """One namespace. `number` is the last part of its address."""

    name: str
    number: int
    logs: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def space(self) -> str:
        return f"pr9-{self.name}"

    @property
    def address(self) -> str:
        return f"{NET}.{self.number}"

    @property
    def log(self) -> Path:
        return self.logs / f"{self.name}.log"

    def plug(self) -> None:
        near, far = f"pr9-{self.number}n", f"pr9-{self.number}f"
        _ip("netns", "add", self.space)
        _ip("link", "add", near, "netns", self.space, "type", "veth", "peer", far, "netns", SWITCH)
        _ip("-n", SWITCH, "link", "set", far, "master", "br0", "up")
        _ip("-n", self.space, "addr", "add", f"{self.address}/24", "dev", near)
        _ip("-n", self.space, "link", "set", near, "up")
        _ip("-n", self.space, "link", "set", "lo", "up")

    def cut(self) -> None:
        """Pull the cable: packets are lost, and nobody is told."""
        _ip("-n", SWITCH, "link", "set", f"pr9-{self.number}f", "down")

    def mend(self) -> None:
        _ip("-n", SWITCH, "link", "set", f"pr9-{self.number}f", "up")

    def run(
        self, name: str, command: list[str], env: dict[str, str] | None = None, folder: Path = ROOT
    ) -> None:
        with self.log.open("ab") as output:
            self.processes[name] = subprocess.Popen(
                ["ip", "netns", "exec", self.space, *command],
                cwd=folder,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """SIGKILL to the process and all that it has started."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""

    def connected(self, host: str, port: int, seconds: float = 20.0) -> socket.socket:
        """A socket of this namespace, connected. A thread's namespace says where its sockets belong."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.space}", os.O_RDONLY)
        try:
            os.setns(there, os.CLONE_NEWNET)
            try:
                made = socket.socket()
            finally:
                os.setns(home, os.CLONE_NEWNET)
        finally:
            os.close(home)
            os.close(there)
        made.settimeout(seconds)
        try:
            made.connect((host, port))
        except OSError:
            made.close()
            raise
        return made


@contextlib.contextmanager
def hosts(logs: Path, **numbers: int) -> Iterator[dict[str, Host]]:
    """The hosts of these names and numbers, plugged in; ended and taken away with the block."""
    made = {name: Host(name, number, logs) for name, number in numbers.items()}
    _take_away(made)
    _ip("netns", "add", SWITCH)
    _ip("-n", SWITCH, "link", "add", "br0", "type", "bridge")
    _ip("-n", SWITCH, "link", "set", "br0", "up")
    try:
        for host in made.values():
            host.plug()
        yield made
    finally:
        for host in made.values():
            for name in list(host.processes):
                host.kill(name)
        _take_away(made)


def _take_away(made: dict[str, Host]) -> None:
    for space in [*(host.space for host in made.values()), SWITCH]:
        subprocess.run(["ip", "netns", "delete", space], capture_output=True, check=False)
