from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import translation

from retrieval.kept import kept_refuse, kept_shown
from retrieval.models import CachedAnswer
from retrieval.options import options_parse
from retrieval.runs import run_execute, run_start
from teams.models import Role
from telemetry.models import Trace
from tests.factories import ingest, make_member, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

QUESTION = "Where are visitors of the plant in Tomar met?"
AGAIN = "where are the visitors of the plant in tomar met"
HANDBOOK = "# Visitors\n\nVisitors of the plant in Tomar are met at the north gate.\n"


@pytest.fixture
def team() -> Workspace:
    return make_workspace()


@pytest.fixture
def asker(team: Workspace) -> User:
    owner = make_member(team, Role.OWNER)
    ingest(team, owner, "handbook.md", HANDBOOK)
    return make_member(team, Role.READER)


def run_of(team: Workspace, user: User, question: str) -> Trace:
    trace = run_start(workspace=team, user=user, question=question)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


@pytest.fixture
def kept(team: Workspace, asker: User) -> Trace:
    run_of(team, asker, QUESTION)
    trace = run_of(team, asker, AGAIN)
    assert trace.cached
    return trace


def page_of(client: Client, trace: Trace) -> str:
    with translation.override("en"):
        reply = client.get(reverse("chat-run", args=[trace.pk]), headers={"accept-language": "en"})
    assert reply.status_code == 200
    return reply.content.decode()


def test_a_kept_answer_says_so_and_which_question_it_was_given_to(
    client: Client, team: Workspace, asker: User, kept: Trace
) -> None:
    client.force_login(asker)
    page = page_of(client, kept)
    told = page.split('id="kept"')[1].split("</div>")[0]
    assert QUESTION in told
    assert reverse("chat-kept-refuse", args=[kept.pk]) in told
    first = Trace.objects.exclude(pk=kept.pk).get()
    assert 'id="kept"' not in page_of(client, first)


def test_not_what_i_asked_evicts_records_and_asks_without_the_cache(
    client: Client, team: Workspace, asker: User, kept: Trace
) -> None:
    client.force_login(asker)
    reply = client.post(reverse("chat-kept-refuse", args=[kept.pk]))
    anew = Trace.objects.latest("started_at")
    assert reply["Location"] == reverse("chat-run", args=[anew.pk])
    assert not CachedAnswer.objects.exists()
    kept.refresh_from_db()
    shown = kept_shown(kept, asker)
    assert shown is not None
    assert shown.refused
    assert reverse("chat-kept-refuse", args=[kept.pk]) not in page_of(client, kept)
    assert anew.question == kept.question
    assert options_parse(anew.options).fresh
    run_execute(anew.pk)
    anew.refresh_from_db()
    assert not anew.cached
    assert "north gate" in anew.answer["text"]


def test_an_answer_asked_anew_is_kept_for_the_next_who_asks(
    team: Workspace, asker: User, kept: Trace
) -> None:
    anew = kept_refuse(trace=kept, user=asker)
    run_execute(anew.pk)
    assert run_of(team, make_member(team, Role.READER), QUESTION).cached


def test_it_can_be_said_once_and_of_kept_answers_alone(
    team: Workspace, asker: User, kept: Trace
) -> None:
    first = Trace.objects.exclude(pk=kept.pk).get()
    with pytest.raises(PermissionDenied):
        kept_refuse(trace=first, user=asker)
    kept_refuse(trace=kept, user=asker)
    with pytest.raises(PermissionDenied):
        kept_refuse(trace=kept, user=asker)


def test_four_people_and_the_button(
    client: Client, team: Workspace, asker: User, kept: Trace
) -> None:
    path = reverse("chat-kept-refuse", args=[kept.pk])
    assert client.post(path).status_code == 302
    for person, status in (
        (make_member(team, Role.READER), 404),
        (make_workspace().memberships.get().user, 404),
        # An auditor reads the run, but did not ask.
        (make_member(team, Role.OWNER), 403),
    ):
        client.force_login(person)
        assert client.post(path).status_code == status
    assert CachedAnswer.objects.count() == 1
    client.force_login(asker)
    assert client.get(path).status_code == 405
    assert client.post(path).status_code == 302
    assert not CachedAnswer.objects.exists()


def test_what_somebody_else_has_typed_is_not_named(
    client: Client, team: Workspace, kept: Trace
) -> None:
    other = make_member(team)
    theirs = run_of(team, other, QUESTION)
    assert theirs.cached
    client.force_login(other)
    told = page_of(client, theirs).split('id="kept"')[1].split("</div>")[0]
    assert "somebody who asked the same" in told
    assert QUESTION not in told
    assert theirs.answer["kept"]["question"] == ""
