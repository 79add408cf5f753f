"""Conversations: their turns, and what four people may do with them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse

from corpus.services import document_delete
from retrieval.runs import run_execute, run_start
from retrieval.talks import markdown_of
from teams.models import Membership, Role
from telemetry.conversations import conversation_share
from telemetry.models import Conversation, RunEvent, Span, Trace
from telemetry.names import EventKind
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
SALES = (
    "Region;Month;Sales\nNorth;2025-01;120\nSouth;2025-01;80\nNorth;2025-02;45\nSouth;2025-02;77\n"
)
FIRST = "What is the total of sales for North?"


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def visitors(team: Workspace, owner: User) -> Document:
    ingest(team, owner, "sales.csv", SALES)
    return ingest(team, owner, "v.md", "# Visitors\n\nVisitors wear a heliotrope badge.\n")


@pytest.fixture
def asker(team: Workspace, visitors: Document) -> User:
    return make_member(team)


def asked(team: Workspace, user: User, question: str, talk: Conversation | None = None) -> Trace:
    trace = run_start(workspace=team, user=user, question=question, conversation=talk)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def talk_of(trace: Trace) -> Conversation:
    assert trace.conversation is not None
    return trace.conversation


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def everybody_else(team: Workspace) -> dict[str, User]:
    other = make_user()
    make_workspace(other)
    return {
        "reader": make_member(team),
        "auditor": make_member(team, Role.AUDITOR),
        "stranger": other,
    }


def test_a_follow_up_is_understood_by_the_question_before_it(team: Workspace, asker: User) -> None:
    first = asked(team, asker, FIRST)
    assert "165" in first.answer["text"]
    second = asked(team, asker, "And for South?", talk_of(first))
    assert second.resolved == "What is the total of sales for South?"
    assert "157" in second.answer["text"]
    assert second.conversation == first.conversation
    told = RunEvent.objects.get(trace=second, kind=EventKind.QUESTION_RESOLVED)
    assert told.payload["text"] == second.resolved
    # A third one leans on the second as it was understood.
    third = asked(team, asker, "and for North?", talk_of(first))
    assert third.resolved == FIRST
    page = signed_in(asker).get(reverse("talk", args=[talk_of(first).pk])).content.decode()
    assert page.index(FIRST) < page.index("And for South?") < page.index("and for North?")
    assert second.resolved in page


def test_thanks_between_two_questions_do_not_hide_the_first(team: Workspace, asker: User) -> None:
    first = asked(team, asker, FIRST)
    assert asked(team, asker, "Thank you!", talk_of(first)).stage == "gate"
    third = asked(team, asker, "And for South?", talk_of(first))
    assert third.resolved == "What is the total of sales for South?"


def test_the_same_words_without_a_conversation_lean_on_nothing(
    team: Workspace, asker: User
) -> None:
    asked(team, asker, FIRST)
    alone = asked(team, asker, "And for South?")
    assert alone.resolved == ""
    assert "157" not in alone.answer["text"]


def test_the_form_of_a_run_goes_on_in_its_conversation(team: Workspace, asker: User) -> None:
    first = asked(team, asker, FIRST)
    client = signed_in(asker)
    page = client.get(reverse("chat-run", args=[first.pk])).content.decode()
    assert f'name="conversation" value="{talk_of(first).pk}"' in page
    client.post(
        reverse("chat-ask"), {"question": "And for South?", "conversation": talk_of(first).pk}
    )
    assert talk_of(first).turns.count() == 2
    assert Conversation.objects.count() == 1


def test_a_private_conversation_is_seen_by_its_owner_and_by_audit_alone(
    team: Workspace, asker: User
) -> None:
    talk = talk_of(asked(team, asker, FIRST))
    people = everybody_else(team)
    roads = [reverse("talk", args=[talk.pk]), reverse("talk-export", args=[talk.pk])]
    for road in roads:
        assert signed_in(asker).get(road).status_code == 200
        assert signed_in(people["auditor"]).get(road).status_code == 200
        assert signed_in(people["reader"]).get(road).status_code == 404
        assert signed_in(people["stranger"]).get(road).status_code == 404
        assert Client().get(road).status_code == 302
    assert FIRST not in signed_in(people["reader"]).get(reverse("talks")).content.decode()


def test_a_shared_conversation_is_read_by_the_workspace_and_changed_by_nobody_else(
    team: Workspace, asker: User
) -> None:
    first = asked(team, asker, FIRST)
    talk = talk_of(first)
    people = everybody_else(team)
    assert signed_in(asker).post(reverse("talk-share", args=[talk.pk]), {"shared": "1"}).status_code
    reader, stranger = signed_in(people["reader"]), signed_in(people["stranger"])
    assert FIRST in reader.get(reverse("talks")).content.decode()
    assert FIRST not in reader.get(reverse("telemetry")).content.decode()
    for road in (
        reverse("talk", args=[talk.pk]),
        reverse("chat-run", args=[first.pk]),
        reverse("chat-run-json", args=[first.pk]),
        reverse("trace", args=[first.pk]),
        reverse("chat-source", args=[first.pk, 1]),
    ):
        assert reader.get(road).status_code == 200, road
        assert stranger.get(road).status_code == 404, road
    assert Span.objects.visible_to(people["reader"]).filter(trace=first).exists()
    assert not RunEvent.objects.visible_to(people["stranger"]).filter(trace=first).exists()
    assert 'id="question"' not in reader.get(reverse("talk", args=[talk.pk])).content.decode()
    for person in people.values():
        client = signed_in(person)
        for name in ("talk-rename", "talk-share", "talk-delete"):
            form = {"title": "Mine", "shared": "0"}
            assert client.post(reverse(name, args=[talk.pk]), form).status_code == 404
        form = {"question": "And for South?", "conversation": str(talk.pk)}
        assert client.post(reverse("chat-ask"), form).status_code == 404
        with pytest.raises(PermissionDenied):
            run_start(workspace=team, user=person, question="And for South?", conversation=talk)
    talk.refresh_from_db()
    assert (talk.title, talk.shared, talk.turns.count()) == (FIRST, True, 1)

    # Sharing ends at once, and so does membership.
    conversation_share(conversation=talk, user=asker, shared=False)
    assert reader.get(reverse("chat-run", args=[first.pk])).status_code == 404
    Membership.objects.filter(user=asker).delete()
    assert signed_in(asker).get(reverse("talk", args=[talk.pk])).status_code == 404


def test_renaming_deleting_and_what_stays(team: Workspace, asker: User) -> None:
    first = asked(team, asker, FIRST)
    talk = talk_of(first)
    client = signed_in(asker)
    client.post(reverse("talk-rename", args=[talk.pk]), {"title": "  The   North \x00"})
    talk.refresh_from_db()
    assert talk.title == "The North"
    reply = client.post(reverse("talk-rename", args=[talk.pk]), {"title": "  "}, follow=True)
    assert "needs a title" in reply.content.decode()
    talk.refresh_from_db()
    assert talk.title == "The North"
    reply = client.post(reverse("talk-delete", args=[talk.pk]), follow=True)
    assert "The North" in reply.content.decode()
    assert not Conversation.objects.exists()
    first.refresh_from_db()
    assert first.conversation is None
    assert client.get(reverse("chat-run", args=[first.pk])).status_code == 200


def test_deleting_a_shared_conversation_ends_its_sharing(team: Workspace, asker: User) -> None:
    first = asked(team, asker, FIRST)
    conversation_share(conversation=talk_of(first), user=asker, shared=True)
    reader = signed_in(make_member(team))
    assert reader.get(reverse("chat-run", args=[first.pk])).status_code == 200
    signed_in(asker).post(reverse("talk-delete", args=[talk_of(first).pk]))
    assert reader.get(reverse("chat-run", args=[first.pk])).status_code == 404


def test_the_export_holds_answers_and_sources_and_nothing_that_was_withdrawn(
    team: Workspace, asker: User, visitors: Document
) -> None:
    first = asked(team, asker, FIRST)
    talk = talk_of(first)
    asked(team, asker, "What badge do visitors wear?", talk)
    reply = signed_in(asker).get(reverse("talk-export", args=[talk.pk]))
    assert reply["Content-Type"].startswith("text/markdown")
    assert "attachment" in reply["Content-Disposition"]
    text = reply.content.decode()
    assert text.startswith(f"# {FIRST}\n")
    assert "heliotrope" in text
    assert "165" in text
    assert "v.md" in text
    document_delete(document=visitors)
    assert "heliotrope" not in markdown_of(talk, asker)
    assert "165" in markdown_of(talk, asker)


def test_what_was_typed_stands_literally_in_the_export(team: Workspace, asker: User) -> None:
    trace = asked(team, asker, "# What <img src=x> badge *do* visitors [wear](http://x.example)?")
    text = markdown_of(talk_of(trace), asker)
    assert "<img" not in text.replace("\\<img", "")
    assert "](http" not in text.replace("\\](http", "").replace("\\[", "[") or "\\[wear\\]" in text


@pytest.mark.parametrize("key", ["nonsense", str(uuid.uuid4())])
def test_a_conversation_that_is_not_there_is_not_found(
    key: str, team: Workspace, asker: User
) -> None:
    form = {"question": FIRST, "conversation": key}
    assert signed_in(asker).post(reverse("chat-ask"), form).status_code == 404
    assert not Trace.objects.exists()
