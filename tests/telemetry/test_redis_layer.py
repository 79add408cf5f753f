"""The channel layer over a real Redis, started for these tests."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from polyrag_site.supervisor import free_port

pytest.importorskip("channels_redis", reason="needs `make setup-hosts`")
if shutil.which("redis-server") is None:
    pytest.skip("needs redis-server", allow_module_level=True)

from telemetry import redis_layer
from telemetry.live import Teller

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def serve(port: int, folder: Path) -> subprocess.Popen[bytes]:
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    process = subprocess.Popen([*command, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError("Redis did not start.")


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    chosen = free_port(9430)
    process = serve(chosen, tmp_path)
    yield chosen
    process.kill()
    process.wait()


def layer(port: int) -> Any:
    return redis_layer.ChannelLayer(url=f"redis://127.0.0.1:{port}/0")


async def heard(made: Any, name: str) -> dict[str, Any]:
    async with asyncio.timeout(5):
        found: dict[str, Any] = await made.receive(name)
    return found


async def test_what_a_thread_of_another_process_tells_is_heard_by_the_group_alone(
    port: int,
) -> None:
    web, worker = layer(port), layer(port)
    assert isinstance(worker, Teller)
    mine, other = await web.new_channel(), await web.new_channel()
    await web.group_add("run-1", mine)
    await web.group_add("run-2", other)
    await asyncio.sleep(0.2)
    assert await asyncio.to_thread(worker.tell, "run-1", {"type": "run.event", "seq": 3})
    assert await heard(web, mine) == {"type": "run.event", "seq": 3}
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await web.receive(other)
    await web.flush()


async def test_a_redis_that_is_away_is_told_nothing_raises_nothing_and_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = layer(free_port(9480))
    tried: list[str] = []
    publish = away._client.publish

    def counted(channel: str, message: bytes) -> Any:
        tried.append(channel)
        return publish(channel, message)

    monkeypatch.setattr(away._client, "publish", counted)
    for _ in range(5):
        assert not away.tell("run-1", {"type": "run.event"})
    assert len(tried) == 1
    monkeypatch.setattr(redis_layer, "ASIDE_SECONDS", 0.0)
    away._aside_until = 0.0
    assert not away.tell("run-1", {"type": "run.event"})
    assert len(tried) == 2


async def test_who_listens_hears_again_after_redis_was_restarted(tmp_path: Path) -> None:
    chosen = free_port(9450)
    first = serve(chosen, tmp_path)
    web, worker = layer(chosen), layer(chosen)
    name = await web.new_channel()
    await web.group_add("corpus-1", name)
    first.kill()
    first.wait()
    second = serve(chosen, tmp_path)
    try:
        worker._aside_until = 0.0
        hearing = asyncio.create_task(heard(web, name))
        async with asyncio.timeout(10):
            while not hearing.done():
                await asyncio.to_thread(worker.tell, "corpus-1", {"type": "corpus.changed"})
                await asyncio.sleep(0.1)
        assert hearing.result() == {"type": "corpus.changed"}
    finally:
        await web.flush()
        second.kill()
        second.wait()
