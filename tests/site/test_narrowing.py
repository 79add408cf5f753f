"""A run that leant on a restricted document, as its asker, auditors and those it is shared with read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse

from corpus.audience import EVERYBODY, Audience
from corpus.services import changed, document_delete
from corpus.sharing import document_share
from retrieval.runs import run_execute, run_start
from teams.models import Role
from teams.visibility import Visibility
from telemetry.conversations import conversation_share
from telemetry.feed import events_after
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.site.roads import plain, signed_in
from tests.site.test_isolation import cookies, live_sides, release, settled_apart, socket

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace
    from telemetry.models import Trace

__all__ = ["live_sides"]
ALONE = Audience(Visibility.UPLOADER)
SECRETS = ("heliotrope", "51234", "ondina")
QUESTIONS = {
    "text": "How are visitors marked and where are they met?",
    "table": "What is the total of crates for Alderhill?",
    "graph": "Who directs the plant that makes the Aurora line?",
}
SOURCES = {
    "text": (
        "handbook.md",
        "# Handbook\n\n## Visitors\n\nVisitors wear a heliotrope badge and are met at the gate.\n",
    ),
    "table": ("crates.csv", "Orchard;Month;Crates\nAlderhill;2025-01;51234\nBrook;2025-01;7\n"),
    "graph": (
        "people.md",
        "# People\n\nOndina Falcato is the director of the Vilarinho plant. "
        "The Aurora line is produced at the Vilarinho plant.\n",
    ),
}
NAMES = tuple(name for name, _ in SOURCES.values())


def asked(workspace: Workspace, user: User, question: str) -> Trace:
    trace = run_start(workspace=workspace, user=user, question=question)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def private(workspace: Workspace, user: User, kind: str) -> Document:
    return ingest(workspace, user, *SOURCES[kind], audience=ALONE)


def share(trace: Trace, user: User) -> None:
    assert trace.conversation is not None
    conversation_share(conversation=trace.conversation, user=user, shared=True)


def seen(trace: Trace, person: User) -> str:
    """All that the pages, the export and the events of a run tell a person, digits without separators."""
    client = signed_in(person, trace.workspace)
    paths = [
        reverse("chat-run", args=[trace.pk]),
        reverse("chat-run", args=[trace.pk]) + "?partial=live&upto=4",
        reverse("chat-run-json", args=[trace.pk]),
        reverse("trace", args=[trace.pk]),
        reverse("talk", args=[trace.conversation_id]),
        reverse("talk-export", args=[trace.conversation_id]),
        *(reverse("chat-source", args=[trace.pk, n]) for n in (1, 2)),
    ]
    said = [client.get(path).content.decode() for path in paths]
    said.append(plain(events_after(person, trace.pk, 0)))
    return " ".join(said).casefold().replace(",", "").replace("\u202f", "").replace("\xa0", "")


def assert_nothing_of(text: str) -> None:
    for word in (*SECRETS, *NAMES):
        assert word not in text, word


@pytest.mark.django_db
@pytest.mark.parametrize("kind", list(QUESTIONS))
def test_E5_a_shared_run_tells_nobody_what_they_may_not_read(
    kind: str, team: Workspace, owner: User
) -> None:
    asker = make_member(team, Role.CONTRIBUTOR)
    reader, auditor, stranger = make_member(team), make_member(team, Role.AUDITOR), make_user()
    make_workspace(stranger)
    ingest(team, owner, "open.md", "# Open\n\nThe open gate is blue and closes at nine.\n")
    document = private(team, asker, kind)
    trace = asked(team, asker, QUESTIONS[kind])
    assert trace.restricted == [document.pk]
    share(trace, asker)
    assert any(word in seen(trace, asker) for word in SECRETS)
    for person in (owner, reader, auditor, stranger):
        assert_nothing_of(seen(trace, person))
    assert signed_in(reader).get(reverse("chat-run", args=[trace.pk])).status_code == 200
    assert [event["payload"] for event in events_after(reader, trace.pk, 0)][-1] == {
        "withdrawn": True
    }
    assert events_after(stranger, trace.pk, 0) == []
    document_share(document=document, user=asker, audience=EVERYBODY)
    assert any(word in seen(trace, reader) for word in SECRETS)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", list(QUESTIONS))
def test_what_was_restricted_after_the_question_is_taken_from_its_asker_too(
    kind: str, team: Workspace, owner: User
) -> None:
    uploader, asker = make_member(team, Role.CONTRIBUTOR), make_member(team)
    document = ingest(team, uploader, *SOURCES[kind])
    trace = asked(team, asker, QUESTIONS[kind])
    assert trace.restricted == []
    assert any(word in seen(trace, asker) for word in SECRETS)
    document_share(document=document, user=uploader, audience=ALONE)
    for person in (asker, owner):
        assert_nothing_of(seen(trace, person))
    again = asked(team, asker, QUESTIONS[kind])
    assert_nothing_of(plain([again.parts, again.answer]).casefold())


@pytest.mark.django_db
def test_a_run_that_leant_on_nothing_restricted_stays_whole_for_others(
    team: Workspace, owner: User
) -> None:
    asker, other = make_member(team), make_member(team, Role.CONTRIBUTOR)
    ingest(team, owner, *SOURCES["text"])
    private(team, other, "table")
    trace = asked(team, asker, QUESTIONS["text"])
    share(trace, asker)
    assert "heliotrope" in seen(trace, owner)
    late = ingest(team, other, "late.md", "# Late\n\nThe late train leaves at six.\n")
    document_share(document=late, user=other, audience=ALONE)
    assert "heliotrope" in seen(trace, owner)


@pytest.mark.django_db
def test_of_a_deleted_document_nothing_is_told_to_others(team: Workspace, owner: User) -> None:
    asker = make_member(team, Role.CONTRIBUTOR)
    document = private(team, asker, "graph")
    trace = asked(team, asker, QUESTIONS["graph"])
    share(trace, asker)
    document_delete(document=document, user=asker)
    assert_nothing_of(seen(trace, owner))


async def test_E5_two_sockets_of_one_workspace_hear_of_what_each_may_read(live_sides: Any) -> None:
    ours, _ = live_sides
    uploader = await sync_to_async(make_member)(ours.workspace, Role.CONTRIBUTOR)
    hidden = await sync_to_async(private)(ours.workspace, uploader, "table")
    shown = (await sync_to_async(ours.documents)())[-1]
    tell = sync_to_async(changed)
    try:
        theirs = socket("/ws/corpus/", await sync_to_async(cookies)(uploader))
        others = socket("/ws/corpus/", await sync_to_async(cookies)(ours.owner))
        for talk in (theirs, others):
            assert await talk.connect(timeout=20) == (True, None)
            for _ in range(40):
                await tell(shown)
                if not await talk.receive_nothing(timeout=0.5):
                    break
        for talk in (theirs, others):
            while not await talk.receive_nothing(timeout=0.5):
                assert (await talk.receive_json_from(timeout=20))["document"] == str(shown.pk)
        await tell(hidden)
        heard = await theirs.receive_json_from(timeout=20)
        assert heard == {"type": "corpus.changed", "document": str(hidden.pk)}
        assert await others.receive_nothing(timeout=1)
    finally:
        await release()


async def test_E5_two_sockets_of_one_shared_run_get_what_each_may_read(live_sides: Any) -> None:
    ours, _ = live_sides
    asker = await sync_to_async(make_member)(ours.workspace, Role.CONTRIBUTOR)
    reader = await sync_to_async(make_member)(ours.workspace)

    def run() -> Trace:
        private(ours.workspace, asker, "text")
        trace = settled_apart(ours, asker, QUESTIONS["text"])
        share(trace, asker)
        return trace

    trace = await sync_to_async(run)()
    path = f"/ws/runs/{trace.pk}/"
    try:
        got = {}
        for person in (asker, reader):
            talk = socket(path, await sync_to_async(cookies)(person))
            assert (await talk.connect(timeout=20))[0]
            heard = [await talk.receive_json_from(timeout=20)]
            while heard[-1]["kind"] != "run.finished":
                heard.append(await talk.receive_json_from(timeout=20))
            await talk.disconnect()
            got[person.pk] = heard
        assert "heliotrope" in plain(got[asker.pk])
        assert [event["kind"] for event in got[reader.pk]] == [
            event["kind"] for event in got[asker.pk]
        ]
        assert all(event["payload"] == {"withdrawn": True} for event in got[reader.pk])
    finally:
        await release()
