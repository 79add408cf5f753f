"""With a real llama-server and a real small chat model: `make test-models`.

POLYRAG_TEST_LLAMA_SERVER names the binary, POLYRAG_TEST_MODEL a GGUF file of a chat model.
"""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engines.managed import ManagedSpec
from engines.models import ManagedServer, ServerState, Wish
from engines.openai_protocol import OpenAIEmbedder, OpenAIGenerator
from engines.supervising import Supervisor
from polyrag_site.supervisor import free_port
from tests import live

if TYPE_CHECKING:
    from pathlib import Path

BINARY, MODEL = os.environ.get("POLYRAG_TEST_LLAMA_SERVER"), os.environ.get("POLYRAG_TEST_MODEL")
SECONDS = 300.0
SMALL = ("-t", "1", "--poll", "0", "-c", "512", "-np", "1", "--no-warmup")
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
pytestmark = [
    pytest.mark.models,
    pytest.mark.django_db,
    pytest.mark.skipif(
        not BINARY or not MODEL,
        reason="POLYRAG_TEST_LLAMA_SERVER and POLYRAG_TEST_MODEL name no binary and no model",
    ),
]


def served(*args: str, idle: int = 0) -> ManagedSpec:
    return ManagedSpec(
        "real", str(BINARY), str(MODEL), free_port(18_700), (*SMALL, *args), idle_seconds=idle
    )


def until(supervisor: Supervisor, state: ServerState) -> ManagedServer:
    def reached() -> bool:
        supervisor.tick()
        return ManagedServer.objects.get(name="real").state == state

    live.wait_until(reached, f"the state {state}", seconds=SECONDS, every=0.5)
    return ManagedServer.objects.get(name="real")


def settings_of(spec: ManagedSpec) -> dict[str, Any]:
    return {"base_url": f"{spec.url}/v1", "model": "real", "timeout": SECONDS}


def test_a_real_server_chats_streams_keeps_a_schema_sleeps_wakes_crashes_and_stops(
    settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    spec = served(idle=15)
    supervisor = Supervisor([spec])
    assert supervisor.begin()
    try:
        until(supervisor, ServerState.UP)
        engine = OpenAIGenerator(settings_of(spec))
        made = engine.complete(system="Be brief.", user="Say hello.", max_tokens=6)
        assert made.text
        assert 0 < made.tokens_out <= 6
        assert not made.estimated
        stream = engine.stream(system="Be brief.", user="Count: one two", max_tokens=6)
        assert "".join(stream).strip()
        held = engine.complete(
            system="Be brief.", user="Choose a colour.", max_tokens=24, json_schema=SCHEMA
        )
        assert json.loads(held.text)["colour"] in {"red", "blue"}
        supervisor.tick()
        row = ManagedServer.objects.get(name="real")
        assert (row.tokens_per_second or 0) > 0
        awake = row.memory_bytes or 0

        asleep = until(supervisor, ServerState.ASLEEP)
        assert (asleep.memory_bytes or 0) < awake
        assert engine.complete(system="s", user="Hi", max_tokens=2).tokens_out > 0
        until(supervisor, ServerState.ASLEEP)
        ManagedServer.objects.update(wake=True)
        pid = until(supervisor, ServerState.UP).pid

        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        until(supervisor, ServerState.FAILED)
        again = until(supervisor, ServerState.UP)
        assert (again.restarts, again.pid != pid) == (1, True)
        ManagedServer.objects.update(wish=Wish.STOP)
        assert until(supervisor, ServerState.STOPPED).pid is None
    finally:
        supervisor.stop()


def test_a_real_server_embeds(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    spec = served("--embeddings", "--pooling", "mean")
    supervisor = Supervisor([spec])
    assert supervisor.begin()
    try:
        until(supervisor, ServerState.UP)
        vectors = OpenAIEmbedder(settings_of(spec)).passages(["a red cat", "a red cat", "taxes"])
    finally:
        supervisor.stop()
    assert vectors.shape[0] == 3
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert float(vectors[0] @ vectors[1]) > float(vectors[0] @ vectors[2])
