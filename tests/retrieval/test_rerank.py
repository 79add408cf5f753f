from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engines.registry import embedder
from retrieval.rerank import Reranking, reranked
from retrieval.text_store import search
from retrieval.values import Hit
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.rerank_server import rerank_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.rerank_server import RerankServer


@pytest.fixture
def server(settings: Any) -> Iterator[RerankServer]:
    with rerank_server() as made:
        settings.POLYRAG_ENGINES = {
            **settings.POLYRAG_ENGINES,
            "reranker": {"base_url": made.url, "model": "m", "timeout": 5},
        }
        yield made


def passage(name: str, text: str) -> Hit:
    return Hit(name, "d", "v", "doc", "", text, None, "en", 0.5, ranks={"vector": 1})


HITS = (passage("a", "cold oven"), passage("b", "leave days"), passage("c", "nothing"))


def names(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.chunk_id for hit in hits]


def test_the_hits_take_the_order_of_the_reranker_and_say_where_they_stood(
    server: RerankServer,
) -> None:
    made = reranked("leave days", HITS, language="en")
    assert names(made.hits) == ["b", "a", "c"]
    assert made.hits[0].ranks == {"vector": 1, "fused": 2, "rerank": 1}
    assert made.done is not None
    assert made.done["ranks"][0] == {"chunk_id": "b", "before": 2, "after": 1, "score": 2.0}


def test_a_least_score_leaves_out_but_never_below_what_is_to_be_kept(server: RerankServer) -> None:
    strict = Reranking(top_k=3, min_score=1.0, min_keep=1)
    assert names(reranked("leave days", HITS, language="en", rule=strict).hits) == ["b"]
    none = Reranking(top_k=3, min_score=50.0, min_keep=2)
    assert names(reranked("leave days", HITS, language="en", rule=none).hits) == ["b", "a"]


def test_hits_beyond_those_scored_stay_behind_them(server: RerankServer) -> None:
    made = reranked("nothing leave days", HITS, language="en", rule=Reranking(top_k=2))
    assert names(made.hits) == ["b", "a", "c"]
    assert "rerank" not in made.hits[2].ranks


def test_a_reranker_that_is_down_leaves_the_fused_order_and_says_so(server: RerankServer) -> None:
    server.status = 400
    made = reranked("leave days", HITS, language="pt")
    assert made.hits == HITS
    assert made.note
    assert made.done is None


def test_a_request_can_leave_it_out_and_is_told_when_there_is_none(
    server: RerankServer, settings: Any
) -> None:
    assert reranked("leave days", HITS, language="en", rerank=False).hits == HITS
    assert server.asked == []
    settings.POLYRAG_ENGINES = {
        **settings.POLYRAG_ENGINES,
        "reranker": {"base_url": "", "model": "m"},
    }
    asked = reranked("leave days", HITS, language="en", rerank=True)
    assert (asked.hits, asked.note) == (
        HITS,
        "No reranker is set; the order is that of the search.",
    )
    assert reranked("leave days", HITS, language="en").note == ""


@pytest.mark.django_db
def test_only_what_the_person_may_read_is_sent_to_the_reranker(server: RerankServer) -> None:
    owner, stranger, nobody = make_user(), make_user(), make_user()
    workspace, other = make_workspace(owner), make_workspace(stranger)
    ingest(workspace, owner, "leave.md", "# Leave\n\nEach person has 24 days of leave a year.\n")
    ingest(workspace, owner, "oven.md", "# Ovens\n\nThe oven is inspected every 40 days.\n")
    ingest(other, stranger, "secret.md", "# Secret\n\nThe vault code is 9981.\n")
    server.favoured = "oven is inspected"
    question = "How many days of leave a year?"
    vector = embedder().queries([question])[0]
    for person in (owner, make_member(workspace)):
        found = search(
            workspace=workspace, user=person, text=question, vector=vector, language="en"
        )
        assert found.hits[0].document == "oven.md"
        assert found.rerank is not None
    sent = len(server.asked)
    for person in (stranger, nobody):
        assert not search(
            workspace=workspace, user=person, text=question, vector=vector, language="en"
        ).hits
    assert len(server.asked) == sent
    assert not any("9981" in text for call in server.asked for text in call["documents"])
