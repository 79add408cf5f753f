from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engines.errors import EngineError, EngineReplyInvalid, EngineUnavailable
from engines.registry import reranker
from engines.rerank_protocol import HttpReranker
from tests.rerank_server import rerank_server

if TYPE_CHECKING:
    from tests.rerank_server import RerankServer

TEXTS = ["the oven is cold", "paid leave is 24 days a year", "nothing"]
QUESTION = "how many days of leave a year?"


def made(server: RerankServer, timeout: float = 5) -> HttpReranker:
    return HttpReranker({"base_url": server.url, "model": "bge-reranker", "timeout": timeout})


def test_scores_come_back_in_the_order_of_the_texts_and_the_model_is_tried_once() -> None:
    with rerank_server() as server:
        engine = made(server)
        first, again = engine.scores(QUESTION, TEXTS), engine.scores("a\x00b", TEXTS)
        assert engine.scores(QUESTION, []) == []
    assert first == [0.0, 4.0, 0.0]
    assert len(again) == 3
    assert [call["path"] for call in server.asked] == ["/v1/rerank"] * 4
    assert server.asked[2]["documents"] == TEXTS
    assert server.asked[2]["top_n"] == 3
    assert server.asked[3]["query"] == "a b"


def test_a_model_that_is_no_reranker_is_refused_by_name() -> None:
    with rerank_server() as server:
        server.sign = -1
        with pytest.raises(EngineReplyInvalid, match="bge-reranker is no reranking model"):
            made(server).scores(QUESTION, TEXTS)
        server.sign = 0
        with pytest.raises(EngineReplyInvalid, match="no reranking model"):
            made(server).scores(QUESTION, TEXTS)


@pytest.mark.parametrize(
    "reply",
    [
        [],
        {"error": "no"},
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 1}] * 3},
        {"results": [{"index": i, "relevance_score": float("nan")} for i in range(3)]},
        {"results": [{"index": i} for i in range(3)]},
        {"results": [{"index": i + 1, "relevance_score": 1} for i in range(3)]},
        {"results": [{"index": i, "relevance_score": 1} for i in range(4)]},
    ],
)
def test_a_reply_without_a_number_for_each_text_is_refused(reply: Any) -> None:
    with rerank_server() as server:
        server.reply = reply
        with pytest.raises(EngineReplyInvalid, match=r"The reranker at http://127"):
            made(server).scores(QUESTION, TEXTS)


def test_a_server_that_fails_or_does_not_answer_is_an_engine_error() -> None:
    with rerank_server() as server:
        server.status = 500
        with pytest.raises(EngineError, match="500"):
            made(server).scores(QUESTION, TEXTS)
        server.status, server.wait = 200, 2
        with pytest.raises(EngineUnavailable, match="did not answer"):
            made(server, timeout=0.1).scores(QUESTION, TEXTS)


def test_the_registry_has_a_reranker_only_where_one_is_set(settings: Any) -> None:
    assert reranker() is None
    settings.POLYRAG_ENGINES = {
        **settings.POLYRAG_ENGINES,
        "reranker": {"base_url": "http://127.0.0.1:9/v1", "model": "m", "timeout": 1},
    }
    engine = reranker()
    assert engine is not None
    assert engine.model == "m"
