"""Model servers that this instance runs itself, described in a TOML file that `POLYRAG_SERVERS` names.

[[server]]
name = "chat"                        # letters, digits, - and _
binary = "/usr/local/bin/llama-server"
model = "/models/qwen3-4b-q4.gguf"
port = 8790
args = ["-c", "8192"]                # handed on as they stand
device = "Vulkan0"                   # as `llama-server --list-devices` names it
idle_seconds = 900                   # unloads its model after so long; 0: never
autostart = true
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
HOST = "127.0.0.1"
KEYS = {"name", "binary", "model", "port", "args", "device", "idle_seconds", "autostart"}


class ServersFileWrong(Exception):
    """The file cannot be used; the message says where and why."""


@dataclass(frozen=True, slots=True)
class ManagedSpec:
    """One `llama-server` to run. `idle_seconds` 0: it never sleeps."""

    name: str
    binary: str
    model: str
    port: int
    args: tuple[str, ...] = ()
    device: str = ""
    idle_seconds: int = 0
    autostart: bool = True

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def command(self) -> list[str]:
        made = [self.binary, "-m", self.model, "--host", HOST, "--port", str(self.port)]
        if self.device:
            made += ["--device", self.device]
        if self.idle_seconds:
            made += ["--sleep-idle-seconds", str(self.idle_seconds)]
        return [*made, *self.args]


def managed_specs() -> tuple[ManagedSpec, ...]:
    """The servers of the file; none without one. Raises ServersFileWrong."""
    if not settings.SERVERS_FILE:
        return ()
    path = Path(settings.SERVERS_FILE)
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ServersFileWrong(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ServersFileWrong(f"{path} is no TOML: {error}") from error
    rows = held.get("server", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ServersFileWrong(f"{path} must hold [[server]] tables.")
    made = tuple(_spec(row, f"{path}, server {place}") for place, row in enumerate(rows, 1))
    for field in ("name", "port"):
        if len({getattr(spec, field) for spec in made}) != len(made):
            raise ServersFileWrong(f"{path}: two servers have the same {field}.")
    return made


def _spec(row: dict[str, Any], where: str) -> ManagedSpec:
    if unknown := sorted(set(row) - KEYS):
        raise ServersFileWrong(f"{where}: {', '.join(unknown)} is not known.")
    for key, kind in (("name", str), ("binary", str), ("model", str), ("port", int)):
        if not isinstance(row.get(key), kind):
            raise ServersFileWrong(f"{where}: {key} is missing or is no {kind.__name__}.")
    args, idle = row.get("args", []), row.get("idle_seconds", 0)
    if not NAME.fullmatch(row["name"]):
        raise ServersFileWrong(f"{where}: a name is letters, digits, - and _.")
    if not 0 < row["port"] < 65536:
        raise ServersFileWrong(f"{where}: {row['port']} is no port.")
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise ServersFileWrong(f"{where}: args must be a list of texts.")
    if type(idle) is not int or idle < 0:
        raise ServersFileWrong(f"{where}: idle_seconds must be a whole number of nought or more.")
    return ManagedSpec(**{**row, "args": tuple(args)})
