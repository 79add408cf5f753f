from __future__ import annotations

import numpy as np
import pytest

from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.openai_protocol import OpenAIEmbedder, OpenAIGenerator, prefixes
from tests.model_server import model_server


def settings(url: str, model: str = "bge-m3") -> dict[str, object]:
    return {"base_url": url, "model": model, "timeout": 5}


def test_vectors_come_in_the_order_of_the_texts_with_unit_length() -> None:
    with model_server() as server:
        server.vector = lambda text: [float(len(text)), 1.0]
        made = OpenAIEmbedder(settings(server.url)).passages(["a", "aaaa", "aa"])
    assert np.allclose(np.linalg.norm(made, axis=1), 1)
    assert np.argsort(made[:, 0]).tolist() == [0, 2, 1]


def test_the_identity_holds_the_dimension_that_the_server_gives() -> None:
    with model_server() as server:
        assert str(OpenAIEmbedder(settings(server.url)).identity) == "bge-m3:8:unit"


def test_another_model_behind_the_same_address_is_noticed() -> None:
    with model_server() as server:
        embedder = OpenAIEmbedder(settings(server.url))
        embedder.queries(["one"])
        server.dimension = 16
        with pytest.raises(EngineReplyInvalid, match="16 dimensions instead of 8"):
            embedder.queries(["two"])


def test_a_broken_vector_is_refused() -> None:
    with model_server() as server:
        server.vector = lambda text: [0.0, 0.0]
        with pytest.raises(EngineReplyInvalid, match="empty or broken"):
            OpenAIEmbedder(settings(server.url)).queries(["one"])


@pytest.mark.parametrize(
    ("model", "query"),
    [("multilingual-e5-base", "query: "), ("nomic-embed-text", "search_query: "), ("bge-m3", "")],
)
def test_each_family_gets_its_prefix(model: str, query: str) -> None:
    with model_server() as server:
        OpenAIEmbedder(settings(server.url, model)).queries(["férias"])
        assert server.seen[-1]["input"] == [query + "férias"]
    assert prefixes("never-heard-of") == ("", "")


def test_many_texts_go_in_batches() -> None:
    with model_server() as server:
        made = OpenAIEmbedder(settings(server.url)).passages(["x" * i for i in range(1, 71)])
        assert made.shape == (70, 8)
        assert [len(body["input"]) for body in server.seen] == [32, 32, 6]


def test_a_server_that_is_not_there_is_named_with_its_address() -> None:
    with pytest.raises(EngineUnavailable, match=r"127\.0\.0\.1:9/v1 did not answer"):
        OpenAIEmbedder(settings("http://127.0.0.1:9/v1")).queries(["one"])


def test_an_error_of_the_server_is_told() -> None:
    with model_server() as server:
        server.status = 404
        with pytest.raises(EngineError, match="404"):
            OpenAIGenerator(settings(server.url)).complete(system="s", user="u")


def test_a_completion_gives_its_text_and_tokens_at_temperature_zero() -> None:
    with model_server() as server:
        server.reply = lambda prompt: f" {prompt} "
        made = OpenAIGenerator(settings(server.url, "qwen")).complete(system="s", user="olá")
        assert (made.text, made.tokens_in, made.tokens_out) == ("olá", 11, 5)
        assert server.seen[-1]["temperature"] == 0


def test_a_stream_that_breaks_off_is_an_error_and_not_an_answer() -> None:
    with model_server() as server:
        generator = OpenAIGenerator(settings(server.url))
        server.reply = lambda prompt: "um dois três"
        assert "".join(generator.stream(system="s", user="u")).split() == ["um", "dois", "três"]
        server.broken_stream = True
        with pytest.raises(EngineUnavailable, match="mid-answer"):
            list(generator.stream(system="s", user="u"))


def test_H2_a_stream_whose_connection_breaks_is_an_error_after_what_had_come() -> None:
    with model_server() as server:
        generator = OpenAIGenerator(settings(server.url))
        server.reply, server.reset_stream = (lambda prompt: "um dois três"), True
        came: list[str] = []
        with pytest.raises(EngineUnavailable, match="mid-answer"):
            for piece in generator.stream(system="s", user="u"):
                came.append(piece)
    assert "".join(came).split() == ["um", "dois", "três"]


@pytest.mark.parametrize(("counts", "tokens_out"), [(True, 5), (False, None)])
def test_a_stream_counts_its_tokens_or_says_that_they_are_estimated(
    counts: bool, tokens_out: int | None
) -> None:
    with model_server() as server:
        server.reply, server.counts_stream = (lambda prompt: "um dois três"), counts
        stream = OpenAIGenerator(settings(server.url)).stream(system="s", user="u")
        with pytest.raises(StopIteration) as ended:
            while True:
                next(stream)
        whole = ended.value.value
        assert server.seen[-1]["stream_options"] == {"include_usage": True}
    assert whole.text == "um dois três"
    assert whole.estimated is not counts
    assert whole.tokens_in > 0
    assert whole.tokens_out == tokens_out if counts else whole.tokens_out > 0
