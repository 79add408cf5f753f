"""Real processes of the product over the test database: the web server and the worker."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection

from corpus.selectors import worker_alive
from polyrag_site.supervisor import HOST, free_port
from teams.models import Workspace
from teams.services import workspace_delete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60.0


def wait_until(
    holds: Callable[[], object], what: str, seconds: float = SECONDS, every: float = 0.05
) -> None:
    """Return once `holds()`; fail with `what` was waited for."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:.0f} s in vain for {what}.")
        time.sleep(every)


def database_url() -> str:
    """The address of the database that this test works on."""
    held = connection.settings_dict
    user = quote(held["USER"], safe="")
    secret = f":{quote(held['PASSWORD'], safe='')}" if held["PASSWORD"] else ""
    port = f":{held['PORT']}" if held["PORT"] else ""
    where = f"?{urlencode({'host': held['HOST']})}" if held["HOST"] else ""
    return f"postgresql://{user}{secret}@{port}/{quote(held['NAME'], safe='')}{where}"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """For a process that works on the test's database and keeps its files in `folder`."""
    chosen = {
        "DATABASE_URL": database_url(),
        "POLYRAG_DATA_DIR": str(folder),
        # Jobs are signed: one that the test itself queues is only taken with its key.
        "SECRET_KEY": settings.SECRET_KEY,
        "POLYRAG_EMBEDDING_CACHE": settings.EMBEDDING_CACHE_DIR,
        "POLYRAG_WORKERS": "1",
        "PYTHONUNBUFFERED": "1",
    }
    return {**os.environ, **chosen, **more}


@dataclass(slots=True)
class Started:
    """A process in a session of its own, so that all it starts ends with it."""

    process: subprocess.Popen[bytes]
    log: Path
    gone: bool = False

    def kill(self) -> None:
        """What a power cut does to it: no handler runs, no child survives."""
        if not self.gone:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.gone = True

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]


def start(command: list[str], env: dict[str, str], log: Path) -> Started:
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    return Started(process, log)


@contextlib.contextmanager
def running(command: list[str], env: dict[str, str], log: Path) -> Iterator[Started]:
    started = start(command, env, log)
    try:
        yield started
    finally:
        started.kill()


@contextlib.contextmanager
def web(env: dict[str, str], folder: Path) -> Iterator[str]:
    """The web server; gives its address once it serves pages."""
    port = free_port(18_400)
    address = f"http://{HOST}:{port}"
    command = ["-m", "daphne", "-b", HOST, "-p", str(port), "polyrag_site.asgi:application"]
    with running(command, env, folder / "web.log") as started:

        def serves() -> bool:
            assert started.process.poll() is None, started.said()
            try:
                with urllib.request.urlopen(f"{address}/accounts/login/", timeout=5) as reply:
                    return bool(reply.status == 200)
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                return False

        wait_until(serves, "the first page")
        yield address


@contextlib.contextmanager
def worker(env: dict[str, str], folder: Path) -> Iterator[Started]:
    """The job worker, once it is connected to the database."""
    with running(["manage.py", "worker"], env, folder / "worker.log") as started:

        def alive() -> bool:
            assert started.process.poll() is None, started.said()
            return worker_alive()

        wait_until(alive, "the worker")
        yield started


def workspaces_drop() -> None:
    """Schemas and roles outlive the emptying of the tables after a test that commits."""
    for workspace in Workspace.objects.all():
        workspace_delete(workspace=workspace)
