"""Stored questions asked again: exact while nothing changed, the difference marked after an anchor edit."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.urls import reverse

from corpus.models import Chunk
from retrieval.models import CachedAnswer
from retrieval.replay import replay
from retrieval.runs import run_execute
from routing.changes import AnchorDraft
from routing.curation import change_apply, change_putting
from routing.rules import revision_newest
from teams.models import Role
from telemetry.models import Conversation, RunEvent, Span, Trace
from telemetry.services import trace_begin
from tests.corpus.stores import NOTE, OTHER
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
SALES = "Região;Mês;Vendas\nNorte;2025-01;100\nSul;2025-01;70\nNorte;2025-02;30\n"
SUBJECTS = ("férias", "vendas", "barro", "Penela", "Norte")
FORMS = (
    "Quantos dias de {} há por ano?",
    "Qual é o total de {} em 2025?",
    "Quem fornece {} à fábrica?",
    "O que se diz sobre {}?",
    "Onde fica {}?",
    "Quem trata de {} em Penela?",
    "Quais são as regras de {}?",
    "Que valor têm {} no Norte?",
    "Diz-me o que sabes de {} e quem fornece o barro?",
    "How many days of {} are there?",
)


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "notas.md", NOTE)
    ingest(made, owner, "ferias.md", OTHER)
    ingest(made, owner, "vendas.csv", SALES)
    return made


def run(team: Workspace, user: User, question: str) -> Trace:
    trace = trace_begin(workspace=team, user=user, question=question, language="pt")
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def stored() -> tuple[object, ...]:
    models = (Trace, Span, RunEvent, Conversation, CachedAnswer)
    kept = sorted(map(str, Trace.objects.values_list("pk", "answer", "parts", "alive_at")))
    return (kept, *(model.objects.count() for model in models))


def test_fifty_stored_questions_are_exact_until_an_anchor_is_edited(
    owner: User, team: Workspace
) -> None:
    questions = [form.format(subject) for form in FORMS for subject in SUBJECTS]
    for question in questions:
        run(team, owner, question)
    assert Trace.objects.count() == len(set(questions)) == 50
    before = stored()

    said = StringIO()
    call_command("replay", workspace=team.slug, user=owner.username, last=50, stdout=said)
    result = json.loads(said.getvalue().rsplit("RESULT ", 1)[1])
    assert result == {"replayed": 50, "exact": 50, "failed": 0, "differ": {}}
    assert stored() == before

    question = questions[0]
    route = Trace.objects.get(question=question).route
    other = "graph" if route != "graph" else "vectorial"
    change = change_putting(team.pk, [AnchorDraft(other, "pt", question)])
    change_apply(change=change, author=owner, reason="flip", expected=revision_newest())
    found = replay(trace=Trace.objects.get(question=question), user=owner)
    assert not found.exact
    assert "scores" in {one.what for one in found.differences}
    before = stored()
    said = StringIO()
    call_command("replay", workspace=team.slug, user=owner.username, last=50, stdout=said)
    result = json.loads(said.getvalue().rsplit("RESULT ", 1)[1])
    assert result["exact"] < 50
    assert stored() == before


def test_a_replay_runs_in_the_rights_of_the_one_who_replays(owner: User, team: Workspace) -> None:
    trace = run(team, owner, "Quantos dias de férias há por ano?")
    with pytest.raises(PermissionDenied):
        replay(trace=trace, user=make_user())
    Chunk.objects.filter(workspace=team).delete()
    found = replay(trace=trace, user=owner)
    assert "sources" in {one.what for one in found.differences}


def test_the_page_marks_the_verdict_and_is_there_for_readers_of_the_trace_alone(
    client: Client, owner: User, team: Workspace
) -> None:
    trace = run(team, owner, "Quantos dias de férias há por ano?")
    address = reverse("trace-replay", args=[trace.pk])
    client.force_login(owner)
    assert address in client.get(reverse("trace", args=[trace.pk])).content.decode()
    assert 'data-exact="yes"' in client.post(address).content.decode()
    assert client.get(address).status_code == 405
    client.force_login(make_member(team, Role.AUDITOR))
    assert client.post(address).status_code == 200
    for person in (make_member(team), make_member(make_workspace())):
        client.force_login(person)
        assert client.post(address).status_code == 404
    client.logout()
    assert client.post(address).status_code == 302
