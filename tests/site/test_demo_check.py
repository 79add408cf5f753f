"""What `make demo` stands on: a free port, children that are kept alive, and the walk over the pages."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import psutil
import pytest

from polyrag_site import supervisor as supervising
from polyrag_site.demo import CheckFailed, Walk
from polyrag_site.supervisor import HOST, RESTARTS, Child, NoPort, Supervisor, free_port
from tests.live import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SLEEPER = [sys.executable, "-c", "import time; time.sleep(300)"]
FORM = '<form><input type="hidden" name="csrfmiddlewaretoken" value="abc"></form>'


@contextmanager
def listening() -> Iterator[int]:
    with socket.socket() as held:
        held.bind((HOST, 0))
        held.listen()
        yield held.getsockname()[1]


def test_a_taken_port_is_passed_over() -> None:
    with listening() as taken:
        found = free_port(taken)
        assert found > taken
        with socket.socket() as probe:
            probe.bind((HOST, found))


def test_when_every_port_is_taken_the_message_names_them_and_the_way_out() -> None:
    with listening() as taken, pytest.raises(NoPort, match=rf"{taken} to {taken}.*--port"):
        free_port(taken, tries=1)


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    made = Supervisor(0, tmp_path)
    yield made
    made.stop()


def child(supervisor: Supervisor, name: str, command: list[str]) -> Child:
    made = Child(name, command, supervisor.logs / f"{name}.log")
    made.start()
    supervisor.children.append(made)
    return made


def pid(child: Child) -> int:
    assert child.process is not None
    return child.process.pid


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def ended(child: Child) -> bool:
    return child.exit_code() is not None


def test_a_dead_worker_is_started_again_and_the_rest_goes_on(supervisor: Supervisor) -> None:
    web = child(supervisor, "web", SLEEPER)
    worker = child(supervisor, "worker", SLEEPER)
    first, served = pid(worker), pid(web)
    assert supervisor.check() == ""
    assert pid(worker) == first

    os.killpg(first, signal.SIGKILL)
    wait_until(lambda: ended(worker), "the worker's end")

    assert supervisor.check() == ""
    assert pid(worker) != first
    assert not ended(worker)
    assert pid(web) == served


def test_a_worker_that_dies_at_once_each_time_is_given_up_with_its_last_lines(
    supervisor: Supervisor,
) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no database here')"]
    worker = child(supervisor, "worker", command)
    for _ in range(RESTARTS):
        wait_until(lambda: ended(worker), "the worker's end")
        assert supervisor.check() == ""
    wait_until(lambda: ended(worker), "the worker's end")

    trouble = supervisor.check()

    assert "The worker ended with code 1" in trouble
    assert "no database here" in trouble


def test_a_dead_web_server_ends_the_whole(supervisor: Supervisor) -> None:
    web = child(supervisor, "web", [sys.executable, "-c", "print('bye'); raise SystemExit(3)"])
    wait_until(lambda: ended(web), "the web server's end")

    trouble = supervisor.check()

    assert "The web ended with code 3" in trouble
    assert "bye" in trouble


def test_stopping_ends_the_children_and_what_they_started(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "GRACE_SECONDS", 1)
    note = tmp_path / "grandchild"
    family = (
        "import pathlib, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "started = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(started.pid))\n"
        "time.sleep(300)\n"
    )
    stubborn = child(supervisor, "worker", [sys.executable, "-c", family])
    web = child(supervisor, "web", SLEEPER)
    wait_until(lambda: note.exists() and note.read_text(), "the grandchild")
    numbers = [pid(stubborn), pid(web), int(note.read_text())]
    assert all(alive(number) for number in numbers)

    supervisor.stop()

    assert supervisor.children == []
    # A killed grandchild may stay as a zombie where nobody waits for it; it runs no more.
    wait_until(lambda: not any(running(number) for number in numbers), "the end of all")


def running(number: int) -> bool:
    """Whether the process is there and not a zombie."""
    try:
        return bool(psutil.Process(number).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@contextmanager
def pages(answers: dict[str, tuple[int, str]]) -> Iterator[str]:
    """A site that gives these answers by path and 404 elsewhere; 302 leads to the text's path."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests stay quiet."""

        def do_GET(self) -> None:
            status, text = answers.get(self.path, (404, "not here"))
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if status == 302:
                self.send_header("Location", text)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

    server = ThreadingHTTPServer((HOST, 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


LOGIN = {"/accounts/login/": (200, FORM)}
STATUS = "/corpus/status.json"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"/accounts/login/": (500, "oh")}, "GET /accounts/login/ answered 500"),
        ({"/accounts/login/": (200, "no form")}, "/accounts/login/ has no form"),
        ({**LOGIN, "/": (200, FORM)}, "GET /corpus/ answered 404"),
        ({**LOGIN, "/": (200, ""), "/corpus/": (200, FORM)}, "POST /corpus/upload/ answered 404"),
        (
            {
                **LOGIN,
                "/": (200, FORM),
                "/corpus/": (200, FORM),
                "/corpus/upload/": (200, ""),
                STATUS: (
                    200,
                    '{"documents": [{"name": "a.pdf", "state": "failed", "error": "It is torn."}]}',
                ),
            },
            "Not read: a.pdf: It is torn.",
        ),
    ],
)
def test_the_walk_names_the_step_that_failed(
    answers: dict[str, tuple[int, str]], message: str
) -> None:
    said: list[str] = []
    with pages(answers) as address, pytest.raises(CheckFailed, match=message):
        Walk(address, said.append).run("demo", "secret")
    assert "secret" not in "".join(said)


def test_a_walk_that_is_not_let_in_says_so() -> None:
    bounced = {**LOGIN, "/": (302, "/accounts/login/")}
    with pages(bounced) as address, pytest.raises(CheckFailed, match="Signing in did not lead"):
        Walk(address, lambda text: None).run("demo", "wrong")
