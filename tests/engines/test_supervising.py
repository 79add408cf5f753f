"""The supervisor of model servers, over processes that answer as llama-server does."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
import requests
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.urls import reverse

from engines import supervising
from engines.managed import ManagedSpec, ServersFileWrong, managed_specs
from engines.models import ManagedServer, ServerState, Wish
from engines.services import server_wish
from engines.supervising import Supervisor
from polyrag_site.supervisor import free_port
from teams.models import Role, User
from tests import live
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.test import Client

STAND_IN = Path(__file__).resolve().parents[1] / "llama_stand_in.py"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_logs(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(supervising, "FIRST_WAIT", 0.2)


@pytest.fixture
def spec(tmp_path: Path) -> ManagedSpec:
    return described(tmp_path)


def described(folder: Path, **more: Any) -> ManagedSpec:
    binary = folder / "llama-server"
    binary.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(STAND_IN)])} "$@"\n')
    binary.chmod(0o755)
    held = {"name": "chat", "model": "m.gguf", "port": free_port(18_900), **more}
    return ManagedSpec(binary=str(binary), **held)


@pytest.fixture
def supervisor(spec: ManagedSpec) -> Iterator[Supervisor]:
    made = Supervisor([spec])
    assert made.begin()
    yield made
    made.stop()


def row() -> ManagedServer:
    return ManagedServer.objects.get(name="chat")


def ticked(supervisor: Supervisor, holds: Callable[[ManagedServer], object], what: str) -> None:
    def once() -> object:
        supervisor.tick()
        return holds(row())

    live.wait_until(once, what, seconds=30)


def up(supervisor: Supervisor) -> ManagedServer:
    ticked(supervisor, lambda held: held.state == ServerState.UP, "a server that is up")
    return row()


def test_a_server_is_started_measured_and_stopped_as_it_is_wished(
    supervisor: Supervisor, spec: ManagedSpec
) -> None:
    held = up(supervisor)
    assert held.pid is not None
    assert psutil.pid_exists(held.pid)
    assert (held.memory_bytes or 0) > 1_000_000
    assert held.tokens_per_second is None
    requests.post(f"{spec.url}/completion", json={}, timeout=5)
    supervisor.tick()
    assert row().tokens_per_second == 12.5
    assert "eval time" in row().log_tail
    ManagedServer.objects.update(wish=Wish.STOP)
    supervisor.tick()
    assert (row().state, row().pid, row().memory_bytes) == (ServerState.STOPPED, None, None)
    assert not psutil.pid_exists(held.pid)
    ManagedServer.objects.update(wish=Wish.RUN)
    assert up(supervisor).pid != held.pid


def test_a_server_that_crashes_is_started_again_after_a_wait(
    supervisor: Supervisor, spec: ManagedSpec
) -> None:
    first = up(supervisor).pid
    requests.post(f"{spec.url}/crash", timeout=5)
    ticked(supervisor, lambda held: held.state == ServerState.FAILED, "the crash")
    assert "code 3" in row().said
    held = up(supervisor)
    assert (held.restarts, held.said) == (1, "")
    assert held.pid != first


def test_a_server_that_cannot_start_waits_longer_each_time_and_says_why(tmp_path: Path) -> None:
    made = Supervisor([ManagedSpec("chat", str(tmp_path / "nothing"), "m.gguf", 1)])
    assert made.begin()
    ticked(made, lambda held: held.restarts >= 2, "the second try")
    assert row().state == ServerState.FAILED
    assert "cannot be started: No such file" in row().said
    made.stop()


def test_an_idle_server_sleeps_and_is_woken_by_a_wish(tmp_path: Path) -> None:
    made = Supervisor([described(tmp_path, idle_seconds=1)])
    assert made.begin()
    up(made)
    ticked(made, lambda held: held.state == ServerState.ASLEEP, "sleep")
    ManagedServer.objects.update(wake=True)
    ticked(made, lambda held: held.state == ServerState.UP, "waking")
    assert not row().wake
    made.stop()


def test_what_a_killed_supervisor_left_is_ended_by_the_next(spec: ManagedSpec) -> None:
    left = subprocess.Popen(spec.command(), start_new_session=True)
    other = subprocess.Popen(["sleep", "60"])
    try:
        time.sleep(0.5)
        ManagedServer.objects.create(name="chat", pid=left.pid)
        # A number that was given to another process meanwhile.
        ManagedServer.objects.create(name="gone", pid=other.pid)
        made = Supervisor([spec])
        assert made.begin()
        assert left.wait(10) is not None
        assert other.poll() is None
        assert [held.name for held in ManagedServer.objects.all()] == ["chat"]
        made.stop()
    finally:
        left.kill()
        other.kill()


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_the_command_ends_its_servers_with_itself_and_runs_once_alone(
    spec: ManagedSpec, tmp_path: Path
) -> None:
    file = tmp_path / "servers.toml"
    file.write_text(
        f'[[server]]\nname = "chat"\nbinary = "{spec.binary}"\nmodel = "m.gguf"\nport = {spec.port}\n'
    )
    env = live.environment(tmp_path, POLYRAG_SERVERS=str(file))
    command = ["manage.py", "serve_models"]
    with live.running(command, env, tmp_path / "one.log") as started:
        seen = ManagedServer.objects.filter(state=ServerState.UP)
        live.wait_until(seen.exists, f"the server: {started.said()}")
        second = live.start(command, env, tmp_path / "two.log")
        assert second.process.wait(60) == 1
        assert "Another serve_models runs" in second.said()
        pid = row().pid
        os.kill(started.process.pid, signal.SIGTERM)
        assert started.process.wait(30) == 0
    assert pid is not None
    assert not psutil.pid_exists(pid)
    assert (row().state, row().pid) == (ServerState.STOPPED, None)
    connection.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[server]", "is no TOML"),
        ('server = "x"', r"\[\[server\]\]"),
        ('[[server]]\nname = "a"', "server 1: binary is missing"),
        ('[[server]]\nname = "a b"\nbinary = "b"\nmodel = "m"\nport = 1', "a name is letters"),
        ('[[server]]\nname = "a"\nbinary = "b"\nmodel = "m"\nport = 99999', "99999 is no port"),
        (
            '[[server]]\nname = "a"\nbinary = "b"\nmodel = "m"\nport = 1\ngpu = 1',
            "gpu is not known",
        ),
        ('[[server]]\nname = "a"\nbinary = "b"\nmodel = "m"\nport = 1\n' * 2, "the same name"),
    ],
)
def test_a_wrong_file_is_named_with_its_place(
    settings: Any, tmp_path: Path, text: str, said: str
) -> None:
    settings.SERVERS_FILE = str(tmp_path / "servers.toml")
    with pytest.raises(ServersFileWrong, match="cannot be read"):
        managed_specs()
    (tmp_path / "servers.toml").write_text(text)
    with pytest.raises(ServersFileWrong, match=said):
        managed_specs()


def test_a_command_line_holds_what_the_file_says() -> None:
    spec = ManagedSpec("c", "llama-server", "m.gguf", 8790, ("-c", "2048"), "Vulkan0", 900)
    assert " ".join(spec.command()) == (
        "llama-server -m m.gguf --host 127.0.0.1 --port 8790 --device Vulkan0 "
        "--sleep-idle-seconds 900 -c 2048"
    )


def test_owners_start_and_stop_servers_and_operators_alone_read_logs(client: Client) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ManagedServer.objects.create(name="chat", wish=Wish.RUN, log_tail="a line of the log")
    stop = reverse("servers-act", args=["chat", "stop"])
    for person, code in (
        (make_member(workspace, Role.READER), 403),
        (make_member(workspace, Role.AUDITOR), 403),
        (make_user(), 404),
        (None, 302),
    ):
        client.logout()
        if person is not None:
            client.force_login(person)
        assert client.post(stop).status_code == code
    assert row().wish == Wish.RUN
    client.force_login(owner)
    page = client.get(reverse("servers"), headers={"accept-language": "en"}).content.decode()
    assert "Not looked after" in page
    assert "a line of the log" not in page
    assert client.get(stop).status_code == 405
    assert client.post(stop).status_code == 302
    assert row().wish == Wish.STOP
    assert client.post(reverse("servers-act", args=["chat", "burn"])).status_code == 404
    assert client.post(reverse("servers-act", args=["none", "stop"])).status_code == 404
    with pytest.raises(PermissionDenied):
        server_wish(name="chat", workspace=workspace, user=make_user(), action="start")
    operator = User.objects.create_superuser(username="operator", password="x")
    make_workspace(operator)
    client.force_login(operator)
    assert "a line of the log" in client.get(reverse("servers")).content.decode()
