"""Tokens, time and cost: counted where a model answers, stored with the run, shown beside it."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from django.utils import translation

from engines.registry import generator
from polyrag_site import environment
from retrieval.runs import run_execute
from teams.models import Role
from telemetry.accounting import cost_of, spent_of, stages_of, tokens_spent
from telemetry.models import Span, Trace
from telemetry.names import SpanName
from telemetry.services import trace_begin
from telemetry.spans import recording, span
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import model_server

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

NOTE = "# Visitors\\n\\nVisitors wear a yellow badge in the plant of Tomar at all times.\\n"
QUESTION = "How are visitors marked in Tomar?"


def priced(settings: Any, url: str = "", **more: Any) -> None:
    engines = settings.POLYRAG_ENGINES
    chosen = {"base_url": url, "model": "test-model", "price_in": None, "price_out": None}
    settings.POLYRAG_ENGINES = {**engines, "generator": {**engines["generator"], **chosen, **more}}


def run(workspace: Workspace, user: User) -> Trace:
    trace = trace_begin(workspace=workspace, user=user, question=QUESTION, language="en")
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "visitors.md", NOTE)
    return made


def test_without_a_price_there_is_no_cost_and_with_one_it_is_per_million(settings: Any) -> None:
    priced(settings)
    assert cost_of(1_000, 1_000) is None
    priced(settings, price_in=Decimal("0.5"))
    assert cost_of(2_000_000, 7) == Decimal(1)
    priced(settings, price_in=Decimal("0.15"), price_out=Decimal("0.6"))
    assert cost_of(11, 5) == Decimal("0.000005")


def test_prices_are_numbers_or_the_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, found in (("", None), ("0.15", Decimal("0.15")), ("0", Decimal(0))):
        monkeypatch.setenv("GENERATOR_PRICE_IN", value)
        assert environment.decimal("GENERATOR_PRICE_IN") == found
    for value in ("cheap", "-1", "nan", "1,5"):
        monkeypatch.setenv("GENERATOR_PRICE_IN", value)
        with pytest.raises(ImproperlyConfigured, match="GENERATOR_PRICE_IN"):
            environment.decimal("GENERATOR_PRICE_IN")


def test_tokens_go_to_the_span_and_the_run_in_which_they_were_spent(settings: Any) -> None:
    priced(settings, price_in=Decimal(1_000_000))
    with recording() as one:
        with span(SpanName.RETRIEVE_TABLES):
            tokens_spent(tokens_in=3, tokens_out=1)
            tokens_spent(tokens_in=4, tokens_out=2, estimated=True)
        with ThreadPoolExecutor() as pool:
            run_apart = contextvars.copy_context().run
            pool.submit(run_apart, lambda: tokens_spent(tokens_in=10, tokens_out=0)).result()
            pool.submit(lambda: tokens_spent(tokens_in=99, tokens_out=99)).result()
    with recording() as other:
        pass
    tokens_spent(tokens_in=99, tokens_out=99)
    assert [(use.tokens_in, use.tokens_out) for use in one.uses] == [(3, 1), (4, 2), (10, 0)]
    assert other.uses == []
    assert one.spans[0].attributes == {
        "tokens_in": 7,
        "tokens_out": 3,
        "tokens_estimated": True,
        "cost": "7.000000",
    }


def test_what_was_written_before_a_stream_was_stopped_counts_too(settings: Any) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "They wear a yellow badge in the plant of Tomar [1]."
        priced(settings, server.url)
        engine = generator()
        assert engine is not None
        with recording() as kept:
            pieces = engine.stream(system="Answer.", user=QUESTION)
            first = next(pieces)
            pieces.close()
        with recording() as whole:
            said = "".join(engine.stream(system="Answer.", user=QUESTION))
    assert said.startswith(first)
    assert [use.estimated for use in kept.uses] == [True]
    assert kept.uses[0].tokens_in > 0
    assert [use.estimated for use in whole.uses] == [False]


def test_a_run_keeps_what_it_spent_and_a_later_price_changes_nothing(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    with model_server() as server:
        server.reply = lambda prompt: "They wear a yellow badge [1]."
        priced(settings, server.url, price_in=Decimal(1000), price_out=Decimal(2000))
        trace = run(workspace, owner)
        asked = len(server.seen)
    assert asked == 1
    assert (trace.tokens_in, trace.tokens_out) == (11, 5)
    assert trace.cost == Decimal("0.021")
    priced(settings)
    spent = spent_of(trace)
    assert (spent.tokens, spent.about, spent.cost) == (16, False, Decimal("0.021"))
    assert spent.seconds is not None
    assert spent.seconds > 0
    stages = {stage.name: stage for stage in stages_of(trace.spans.all())}
    assert "ask" not in stages
    assert stages["answer.generate"].spent.tokens == 16
    assert stages["answer.generate"].spent.cost == Decimal("0.021")
    assert stages["route.query"].spent.tokens == 0


def test_a_run_without_a_model_spends_no_tokens_and_shows_no_cost(
    workspace: Workspace, owner: User, settings: Any, client: Client
) -> None:
    priced(settings, price_in=Decimal(1))
    trace = run(workspace, owner)
    assert generator() is None
    assert (trace.tokens_in, trace.cost) == (0, None)
    client.force_login(owner)
    with translation.override("en"):
        page = client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    assert 'class="meta spent"' in page
    assert "USD" not in page


def test_time_tokens_and_cost_are_shown_to_those_who_may_see_the_run(
    workspace: Workspace, owner: User, client: Client
) -> None:
    reader, auditor = make_member(workspace), make_member(workspace, Role.AUDITOR)
    stranger = make_user()
    make_workspace(stranger)
    trace = Trace.objects.create(
        workspace=workspace,
        user=owner,
        question=QUESTION,
        state="done",
        tokens_in=1200,
        tokens_out=34,
        tokens_estimated=True,
        cost=Decimal("0.0021"),
        duration_ms=1234.0,
        answer={"text": "A badge.", "refused": False, "model": "m"},
    )
    for number, name in enumerate(("ask", "answer.generate")):
        Span.objects.create(
            trace=trace,
            span_id=str(number),
            parent_id="0" if number else "",
            name=name,
            offset_ms=number,
            duration_ms=100,
            attributes={"tokens_in": 1200, "tokens_out": 34, "cost": "0.002100"} if number else {},
        )
    for person, code in ((owner, 200), (auditor, 200), (reader, 404), (stranger, 404), (None, 302)):
        client.logout()
        if person is not None:
            client.force_login(person)
        for name in ("trace", "chat-run"):
            with translation.override("en"):
                reply = client.get(
                    reverse(name, args=[trace.pk]), headers={"accept-language": "en"}
                )
            assert reply.status_code == code
            said = " ".join(reply.content.decode().split())
            assert ("0.002100 USD" in said) is (code == 200)
            if code == 200:
                assert "about" in said
                assert ("1,234 tokens" in said) is (name == "chat-run")
                assert ("What each stage took" in said) is (name == "trace")
