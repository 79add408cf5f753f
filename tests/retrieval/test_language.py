"""An answer speaks the language of its question, whatever the documents are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engines.language import detect
from retrieval.ask import Outcome, ask
from tests.factories import ingest, make_user, make_workspace
from tests.model_server import ModelServer, generate, model_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
DOCUMENTS = {
    "en": (
        "# Visitors\n\nVisitors of Alder Hill wear a badge and are met at the north gate.\n",
        "Orchard;Crates\nAlderhill;5000\nBrook;7\n",
    ),
    "pt": (
        "# Visitantes\n\nOs visitantes de Alder Hill usam um crachá e são recebidos no portão norte.\n",
        "Pomar;Caixas\nAlderhill;5000\nBrook;7\n",
    ),
}
# Who asks in another language than the table's uses the table's words for its columns.
TEXTS = {
    "en": "Where are the visitors of Alder Hill met?",
    "pt": "Onde são recebidos os visitantes de Alder Hill?",
}
TABLES = {
    ("en", "en"): "What is the total of crates for Alderhill?",
    ("en", "pt"): "What is the total of caixas for Alderhill?",
    ("pt", "en"): "Qual é o total de crates de Alderhill?",
    ("pt", "pt"): "Qual é o total de caixas de Alderhill?",
}
UNKNOWN = {
    "en": "Which airline flies the chairman to Singapore?",
    "pt": "Que companhia aérea leva o presidente a Singapura?",
}
REPLIES = {
    "en": "The visitors wear a badge and they are met at the north gate by the guard [1].",
    "pt": "Os visitantes usam um crachá e são recebidos no portão norte pelo guarda [1].",
}
NAMES = {"en": "English", "pt": "Portuguese"}
PAIRS = [(asked, held) for asked in ("en", "pt") for held in ("en", "pt")]


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def model(settings: Any) -> Iterator[ModelServer]:
    with model_server() as server:
        generate(settings, server.url)
        yield server


def asked_of(team: Workspace, owner: User, question: str) -> Outcome:
    return ask(workspace=team, user=owner, question=question, emit=lambda kind, told: None)


def fill(team: Workspace, owner: User, held: str) -> None:
    text, table = DOCUMENTS[held]
    ingest(team, owner, "guide.md", text)
    ingest(team, owner, "harvest.csv", table)


@pytest.mark.parametrize(("asked", "held"), PAIRS)
def test_M3_fixed_sentences_speak_the_questions_language(
    team: Workspace, owner: User, asked: str, held: str
) -> None:
    fill(team, owner, held)
    counted = asked_of(team, owner, TABLES[asked, held])
    assert counted.answer["citations"][0]["kind"] == "sql"
    assert counted.answer["text"].startswith({"en": "The total of", "pt": "O total de"}[asked])
    assert {"en": "5,000", "pt": "5.000"}[asked] in counted.answer["text"]
    refused = asked_of(team, owner, UNKNOWN[asked])
    assert refused.answer["refused"]
    assert refused.answer["text"].startswith({"en": "I don't know", "pt": "Não sei"}[asked])


@pytest.mark.parametrize(("asked", "held"), PAIRS)
def test_M3_a_reply_in_another_language_is_asked_for_once_more(
    team: Workspace, owner: User, model: ModelServer, asked: str, held: str
) -> None:
    other = {"en": "pt", "pt": "en"}[asked]
    replies = [REPLIES[other], REPLIES[asked]]
    model.reply = lambda prompt: replies[min(len(model.seen), 2) - 1]
    fill(team, owner, held)
    outcome = asked_of(team, owner, TEXTS[asked])
    assert outcome.answer["text"] == REPLIES[asked]
    assert outcome.language == detect(TEXTS[asked]) == asked
    assert len(model.seen) == 2
    for body in model.seen:
        assert f"Answer in {NAMES[asked]}" in body["messages"][0]["content"]


@pytest.mark.parametrize(("asked", "held"), PAIRS)
def test_M3_a_reply_in_the_questions_language_is_taken_at_once(
    team: Workspace, owner: User, model: ModelServer, asked: str, held: str
) -> None:
    model.reply = lambda prompt: REPLIES[asked]
    fill(team, owner, held)
    assert asked_of(team, owner, TEXTS[asked]).answer["text"] == REPLIES[asked]
    assert len(model.seen) == 1


def test_M3_a_model_that_cannot_is_asked_twice_and_no_more(
    team: Workspace, owner: User, model: ModelServer
) -> None:
    model.reply = lambda prompt: REPLIES["pt"]
    fill(team, owner, "pt")
    asked_of(team, owner, TEXTS["en"])
    assert len(model.seen) == 2
