"""Questions for an overview: recognised, told by themes in the reader's rights, with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from corpus.services import document_delete
from retrieval.ask import Outcome, ask
from retrieval.models import CachedAnswer
from retrieval.overview_cues import overview_asked
from tests.corpus.themes import CANTEEN, fill
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import model_server

if TYPE_CHECKING:
    from teams.models import User, Workspace


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


def asked(workspace: Workspace, user: User, question: str) -> Outcome:
    return ask(workspace=workspace, user=user, question=question, emit=lambda kind, told: None)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Quais são os principais temas dos documentos?", ""),
        ("De que tratam estes documentos?", ""),
        ("Dá-me uma visão geral", ""),
        ("What are the main themes here?", ""),
        ("What is this corpus about?", ""),
        ("Summarise the documents", ""),
        ("¿De qué tratan los documentos?", ""),
        ("De quoi parlent ces documents ?", ""),
        ("What are the main themes of safety?", "safety"),
        ("Visão geral sobre férias", "férias"),
    ],
)
def test_a_question_for_an_overview_is_known_by_its_words(question: str, topic: str) -> None:
    found = overview_asked(question)
    assert found is not None
    assert found.topic == topic


@pytest.mark.parametrize(
    "question",
    [
        "Quantos dias de férias tem um colaborador?",
        "Who wrote the overview?",
        "Which theme colours does the brand use?",
        "Summarise the contract with Argilas Bravas",
    ],
)
def test_another_question_is_not_taken_for_one(question: str) -> None:
    assert overview_asked(question) is None


def test_an_overview_in_portuguese_cites_every_document(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)

    outcome = asked(workspace, owner, "Quais são os principais temas dos documentos?")

    assert outcome.answer["text"].startswith("Os documentos que pode ler tratam de")
    cited = {item["document"] for item in outcome.answer["citations"]}
    assert cited == {"fornos.md", "ferias.md", "expedicao.md"}
    part = outcome.parts[0]
    assert part["stage"] == "overview"
    assert "principais temas" in part["evidence"][0]["terms"][0]
    assert {hit["chunk_id"] for hit in part["hits"]} >= {
        item["chunk_id"] for item in outcome.answer["citations"]
    }


def test_a_topic_in_english_gets_its_own_themes_first(workspace: Workspace, owner: User) -> None:
    fill(workspace, owner)

    outcome = asked(workspace, owner, "What are the main themes of kiln maintenance?")

    assert outcome.answer["citations"][0]["document"] == "fornos.md"


def test_what_a_deleted_document_said_is_gone_at_once_and_the_note_says_so(
    workspace: Workspace, owner: User
) -> None:
    kilns, _leave = fill(workspace, owner)
    document_delete(document=kilns)

    outcome = asked(workspace, owner, "What are the main themes of the documents?")

    assert "forno" not in outcome.answer["text"].casefold()
    assert "1 document changed since the themes were made" in outcome.answer["text"]
    assert not CachedAnswer.objects.exists()


def test_a_new_document_is_noted_until_the_themes_are_made_anew(
    workspace: Workspace, owner: User
) -> None:
    fill(workspace, owner)
    ingest(workspace, owner, "cantina.md", CANTEEN)

    outcome = asked(workspace, owner, "Visão geral")

    assert "1 documento mudou" in outcome.answer["text"]


def test_four_people_get_themes_of_what_they_may_read_alone(
    workspace: Workspace, owner: User
) -> None:
    from django.contrib.auth.models import AnonymousUser

    from retrieval.themes import Reader, themes_read
    from tests.corpus.test_communities import two_topics

    fill(workspace, owner)
    vector = two_topics()[0]

    def themes(user: Any) -> int:
        return len(themes_read(Reader(workspace, user, vector[:0], "pt"), "").themes)

    outsider = make_member(make_workspace())
    assert asked(workspace, make_member(workspace), "Visão geral").answer["citations"]
    for user in (outsider, make_user()):
        assert asked(workspace, user, "Visão geral").answer["citations"] == []
        assert themes(user) == 0
    assert themes(AnonymousUser()) == 0


def test_a_workspace_without_documents_says_so(workspace: Workspace, owner: User) -> None:
    outcome = asked(workspace, owner, "What are the main themes?")

    assert outcome.answer["refused"]
    assert "no documents" in outcome.answer["text"]


def test_a_generator_joins_the_notes_and_keeps_the_sources(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "The kilns are heated slowly [1]."
        settings.POLYRAG_ENGINES = {
            **settings.POLYRAG_ENGINES,
            "generator": {
                "base_url": server.url,
                "model": "test-model",
                "timeout": 5,
                "context_tokens": 4096,
            },
        }
        fill(workspace, owner)
        outcome = asked(workspace, owner, "What are the main themes of the documents?")

    assert outcome.answer["model"] == "test-model"
    assert outcome.answer["text"] == "The kilns are heated slowly [1]."
    assert [item["n"] for item in outcome.answer["citations"]] == [1]
