"""Engines that fail in every way a server can, against small real HTTP servers."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engines import calling
from engines.breaker import Breaker
from engines.chain import ChainEmbedder, ChainGenerator, Member
from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.openai_protocol import OpenAIEmbedder, OpenAIGenerator
from engines.placing import LOCAL_ONLY, REMOTE_FIRST, placed
from engines.specs import EngineSpec, address_is_remote
from telemetry.spans import recording
from tests.model_server import ModelServer, model_server

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "FIRST_WAIT", 0.01)


@pytest.fixture
def one() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def two() -> Iterator[ModelServer]:
    with model_server() as server:
        server.reply = lambda prompt: "from two"
        yield server


def spec(url: str, role: str = "generator", **more: Any) -> EngineSpec:
    held = {"key": url, "name": f"engine at {url}", "model": "m", "timeout": 5, **more}
    return EngineSpec(role=role, base_url=url, **held)


def generators(*specs: EngineSpec) -> ChainGenerator:
    return ChainGenerator([Member(held, OpenAIGenerator(held.as_settings())) for held in specs])


def embedders(*urls: str) -> ChainEmbedder:
    held = [spec(url, "embedder") for url in urls]
    return ChainEmbedder([Member(one, OpenAIEmbedder(one.as_settings())) for one in held])


def said(engine: ChainGenerator) -> str:
    return engine.complete(system="s", user="u").text


def test_the_next_engine_answers_where_the_first_refuses_connections(two: ModelServer) -> None:
    engine = generators(spec(NOBODY), spec(two.url, model="other"))
    made = engine.complete(system="s", user="u")
    assert (made.text, made.model) == ("from two", "other")


def test_a_server_that_hangs_is_asked_once_and_the_next_one_answers(
    one: ModelServer, two: ModelServer
) -> None:
    one.delay = 5
    began = time.monotonic()
    assert said(generators(spec(one.url, timeout=0.3), spec(two.url))) == "from two"
    assert time.monotonic() - began < 3
    assert len(one.seen) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_tried_three_times_and_no_more(one: ModelServer, status: int) -> None:
    one.status = status
    with pytest.raises(EngineUnavailable, match=str(status)):
        said(generators(spec(one.url)))
    assert len(one.seen) == 3


def test_a_request_that_is_refused_for_good_is_not_repeated(one: ModelServer) -> None:
    one.status = 401
    engine = generators(spec(one.url))
    for _ in range(5):
        with pytest.raises(EngineError, match="401"):
            said(engine)
    assert len(one.seen) == 5


def test_after_three_failures_a_server_is_left_alone_and_comes_back_by_itself(
    one: ModelServer, two: ModelServer
) -> None:
    clock = [0.0]
    members: list[Member[Any]] = [
        Member(held, OpenAIGenerator(held.as_settings()), Breaker(clock=lambda: clock[0]))
        for held in (spec(one.url), spec(two.url))
    ]
    engine = ChainGenerator(members)
    one.web_page = "<html>gateway</html>"
    for _ in range(6):
        assert said(engine) == "from two"
    assert len(one.seen) == 3
    assert members[0].breaker.rests == 5
    one.web_page, clock[0] = "", 5.1
    assert said(engine) == "Sim [1]."
    assert members[0].breaker.rests == 0


def test_while_one_request_probes_a_resting_server_others_go_past_it() -> None:
    clock = [0.0]
    breaker = Breaker(limit=1, clock=lambda: clock[0])
    breaker.failed("down")
    assert not breaker.admits()
    clock[0] = 5.0
    assert breaker.admits()
    assert not breaker.admits()
    breaker.failed("still down")
    clock[0] = 14.9
    assert not breaker.admits()
    clock[0] = 15.0
    assert breaker.admits()
    breaker.succeeded()
    assert breaker.admits()
    assert breaker.admits()


def test_a_stream_goes_to_the_next_engine_only_before_its_first_word(
    one: ModelServer, two: ModelServer
) -> None:
    one.status = 500
    engine = generators(spec(one.url), spec(two.url))
    assert "".join(engine.stream(system="s", user="u")).strip() == "from two"
    one.status, one.broken_at = 200, 2
    one.reply = lambda prompt: "one two three four"
    came = []
    with pytest.raises(EngineUnavailable, match="broke off"):
        for piece in engine.stream(system="s", user="u"):
            came.append(piece)
    assert "".join(came).split() == ["one", "two"]


def test_a_stream_that_is_stopped_closes_its_connection_and_is_no_failure(
    one: ModelServer,
) -> None:
    one.reply, one.pace = (lambda prompt: "word " * 400), 0.01
    engine = generators(spec(one.url))
    pieces = engine.stream(system="s", user="u")
    next(pieces)
    pieces.close()
    deadline = time.monotonic() + 5
    while not one.left and time.monotonic() < deadline:
        time.sleep(0.05)
    assert one.left == 1
    one.pace = 0
    assert said(engine)


def test_when_no_engine_can_the_error_names_them_all(one: ModelServer) -> None:
    one.web_page = "<html>"
    with pytest.raises(EngineUnavailable) as raised:
        said(generators(spec(NOBODY), spec(one.url)))
    assert NOBODY in str(raised.value)
    assert one.url in str(raised.value)


def test_only_the_places_that_are_allowed_are_asked_and_in_their_order(
    one: ModelServer, two: ModelServer
) -> None:
    engine = generators(spec(one.url, remote=True), spec(two.url))
    assert said(engine) == "from two"
    with placed(REMOTE_FIRST):
        assert said(engine) == "Sim [1]."
    with placed(LOCAL_ONLY):
        assert said(engine) == "from two"
        two.status = 401
        with pytest.raises(EngineError, match="401"):
            said(engine)
    assert len(one.seen) == 1


def test_each_engine_spends_by_its_own_price(one: ModelServer, two: ModelServer) -> None:
    engine = generators(
        spec(one.url, remote=True, price_in=Decimal(10**6)),
        spec(two.url, price_out=Decimal(2 * 10**6)),
    )
    with recording() as kept:
        with placed(REMOTE_FIRST):
            said(engine)
        said(engine)
    spent = [(use.remote, use.cost) for use in kept.uses]
    assert spent == [(True, Decimal(11)), (False, Decimal(10))]


def test_a_schema_is_asked_of_the_server_or_written_into_the_prompt(one: ModelServer) -> None:
    engine = OpenAIGenerator(spec(one.url).as_settings())
    one.reply = lambda prompt: '```json\n{"a": 1}\n```'
    assert engine.complete(system="s", user="u", json_schema={"type": "object"}).text == '{"a": 1}'
    assert one.seen[-1]["response_format"]["json_schema"]["schema"] == {"type": "object"}
    one.refuses_schema = True
    assert engine.complete(system="s", user="u", json_schema={"type": "object"}).text == '{"a": 1}'
    assert "response_format" not in one.seen[-1]
    assert '{"type": "object"}' in one.seen[-1]["messages"][0]["content"]
    one.reply = lambda prompt: "certainly!"
    with pytest.raises(EngineReplyInvalid, match="JSON"):
        engine.complete(system="s", user="u", json_schema={"type": "object"})


def test_vectors_come_from_a_replica_where_the_first_is_down(one: ModelServer) -> None:
    engine = embedders(NOBODY, one.url)
    assert engine.passages(["a", "b"]).shape == (2, 8)
    assert np.array_equal(engine.queries(["a"]), embedders(one.url).queries(["a"]))


@pytest.mark.parametrize(
    "garbage",
    ["<html>gateway</html>", '{"object": "list", "data": [{"index": 0, "embedding": "no"}]}'],
)
def test_garbage_instead_of_vectors_is_a_clear_error(one: ModelServer, garbage: str) -> None:
    one.web_page = garbage
    with pytest.raises(EngineReplyInvalid, match=r"embedder at http://127\.0\.0\.1"):
        embedders(one.url).queries(["a"])


def test_other_dimensions_are_refused_and_the_former_ones_taken_again(one: ModelServer) -> None:
    engine = embedders(one.url)
    engine.queries(["a"])
    one.dimension = 16
    with pytest.raises(EngineReplyInvalid, match="16 dimensions instead of 8"):
        engine.passages(["a"])
    one.dimension = 8
    assert engine.passages(["a"]).shape == (1, 8)


def test_another_model_of_the_same_dimension_is_known_by_its_vectors(one: ModelServer) -> None:
    engine = embedders(one.url)
    kept = engine.passages(["a"])
    one.vector = lambda text: [float((ord(text[-1]) * i) % 11 - 5) for i in range(1, 9)]
    with pytest.raises(EngineReplyInvalid, match="another model is being served"):
        engine.passages(["a"])
    one.vector = None
    assert np.array_equal(engine.passages(["a"]), kept)


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("http://127.0.0.1:8080/v1", False),
        ("http://localhost:8080/v1", False),
        ("http://10.1.2.3/v1", False),
        ("http://[::1]:8080/v1", False),
        ("http://llama:8080/v1", False),
        ("http://gpu.office.internal/v1", False),
        ("https://api.example.com/v1", True),
        ("https://8.8.8.8/v1", True),
    ],
)
def test_an_address_outside_ones_own_network_is_remote(url: str, remote: bool) -> None:
    assert address_is_remote(url) is remote
