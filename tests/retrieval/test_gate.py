from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from django.utils import translation

from retrieval.ask import ask
from retrieval.gate import gate
from retrieval.runs import run_execute
from telemetry.services import trace_begin
from tests.factories import make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

SETS = Path(__file__).parents[2] / "eval" / "sets"


@pytest.mark.parametrize(
    ("message", "kind", "language"),
    [
        ("Hello!", "greeting", "en"),
        ("Olá, tudo bem?", "greeting", "pt"),
        ("Muito obrigada.", "thanks", "pt"),
        ("Hi! Who are you?", "product", "en"),
        ("O que sabes fazer?", "product", "pt"),
        ("How do I upload a file?", "upload", "en"),
        ("Which files can you read?", "files", "en"),
        ("¿Quién eres?", "product", "es"),
        ("Merci beaucoup", "thanks", "fr"),
    ],
)
def test_courtesy_and_help_are_answered_in_their_language(
    message: str, kind: str, language: str
) -> None:
    found = gate(message)
    assert (found.kind, found.language) == (kind, language)
    assert found.reply


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Hello, how many customers do we have?", "how many customers do we have?"),
        ("Olá! Quantos clientes temos?", "Quantos clientes temos?"),
        ("Viva Porto sales", "Viva Porto sales"),
        ("Who are you invoicing in May?", "Who are you invoicing in May?"),
        ("Thanks to whom was the kiln repaired?", "Thanks to whom was the kiln repaired?"),
        ("How do I upload a file to the old ERP?", "How do I upload a file to the old ERP?"),
    ],
)
def test_a_question_is_asked_without_its_greeting(message: str, asked: str) -> None:
    found = gate(message)
    assert (found.reply, found.question) == ("", asked)


@pytest.mark.parametrize("name", ["golden", "dev_text", "dev_sql", "dev_unknown", "routing_dev"])
def test_no_question_of_the_sets_is_caught_or_cut(name: str) -> None:
    lines = (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [str(held.get("question") or held.get("text")) for held in map(json.loads, lines)]
    assert [one for one in asked if gate(one).reply or gate(one).question != one] == []


@pytest.mark.django_db
def test_a_greeting_is_answered_without_a_search_and_kept_with_its_stage() -> None:
    owner = make_user()
    told: list[str] = []
    outcome = ask(
        workspace=make_workspace(owner),
        user=owner,
        question="Hello!",
        emit=lambda kind, _: told.append(kind),
    )
    assert outcome.answer["text"].startswith("Hello.")
    assert outcome.parts[0]["stage"] == "gate"
    assert not outcome.answer["refused"]
    assert told == ["route.decided", "answer.delta"]


@pytest.mark.django_db
def test_the_page_of_a_greeting_shows_the_reply_and_that_nothing_was_searched(
    client: Client,
) -> None:
    owner = make_user()
    trace = trace_begin(
        workspace=make_workspace(owner), user=owner, question="Hello!", language="en", options={}
    )
    run_execute(trace.pk)
    client.force_login(owner)
    with translation.override("en"):
        page = client.get(reverse("chat-run", args=[trace.pk]), headers={"accept-language": "en"})
    assert page.status_code == 200
    assert "Hello. Ask a question about" in page.content.decode()
    assert "so nothing was searched" in page.content.decode()
    # No store was chosen and no anchors were asked, so the panel names none.
    assert "tag strong" not in page.content.decode()
    assert "Margin" not in page.content.decode()
    assert "No language model was used" not in page.content.decode()
