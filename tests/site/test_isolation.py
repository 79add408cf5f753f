"""Two teams on one instance: nothing of one reaches the other, by whatever road."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator
from channels_postgres import db as layer_db
from django.conf import settings as django_settings
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client
from django.urls import reverse

from corpus.models import Document
from corpus.selectors import chunks_live, relations_live, tables_live
from corpus.services import changed
from polyrag_site.asgi import application
from retrieval.ask import Outcome, ask
from retrieval.runs import run_execute, run_start
from teams.members import membership_remove
from teams.models import Membership, Role, User, Workspace
from teams.services import membership_set, workspace_delete
from telemetry.models import RunState, Trace
from telemetry.services import trace_begin
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from telemetry.names import EventKind

NOT_FOUND = 4404
TABLE = "What is the total of crates for Alderhill?"
TEXT = "How are visitors marked and where are they met?"
GRAPH = "Who directs the plant that makes the Aurora line?"
QUESTIONS = (TABLE, TEXT, GRAPH)


@dataclass(frozen=True, slots=True)
class Side:
    """A team with its owner and with the words that stand in its documents alone."""

    workspace: Workspace
    owner: User
    secrets: dict[str, str]

    def documents(self) -> list[Document]:
        return list(Document.objects.in_workspace(self.workspace))


def make_side(*, crates: tuple[int, int], badge: str, head: str, plant: str) -> Side:
    owner = make_user()
    workspace = make_workspace(owner)
    rows = "".join(f"Alderhill;2025-0{n};{count}\n" for n, count in enumerate(crates, start=1))
    ingest(workspace, owner, "crates.csv", f"Orchard;Month;Crates\n{rows}Brook;2025-01;7\n")
    ingest(
        workspace,
        owner,
        "handbook.md",
        f"# Handbook\n\n## Visitors\n\nVisitors wear a {badge} badge and are met at the gate.\n",
    )
    ingest(
        workspace,
        owner,
        "people.md",
        f"# People\n\n{head} is the director of the {plant} plant. "
        f"The Aurora line is produced at the {plant} plant.\n",
    )
    return Side(workspace, owner, {TABLE: str(sum(crates)), TEXT: badge, GRAPH: head})


def make_sides() -> tuple[Side, Side]:
    ours = make_side(
        crates=(51_234, 32_117), badge="heliotrope", head="Ondina Falcato", plant="Vilarinho"
    )
    theirs = make_side(
        crates=(61_003, 9_446), badge="saffron", head="Breno Cardial", plant="Moinhos"
    )
    return ours, theirs


@pytest.fixture
def sides(db: None) -> tuple[Side, Side]:
    return make_sides()


def silent(kind: EventKind, payload: dict[str, Any]) -> None:
    """Nobody listens."""


def asked(workspace: Workspace, user: User, question: str) -> Outcome:
    return ask(workspace=workspace, user=user, question=question, emit=silent)


def plain(value: object) -> str:
    """All that stands in a value, numbers without their separators."""
    said = json.dumps(value, default=str, ensure_ascii=False)
    return said.replace(",", "").replace(".", "").replace("\u202f", "").replace("\xa0", "")


def assert_keeps(side: Side, *shown: object) -> None:
    """Nothing of `side`'s documents stands in what was shown to others."""
    text = " ".join(plain(item) for item in shown)
    for secret in side.secrets.values():
        assert secret not in text
    for document in side.documents():
        assert str(document.pk) not in text


def assert_not_there(side: Side, reply: Any) -> None:
    """The page is missing and names nothing but the address that was asked for."""
    assert reply.status_code == 404
    text = plain(reply.content.decode())
    for secret in (*side.secrets.values(), *(document.name for document in side.documents())):
        assert plain(secret)[1:-1] not in text


def settled(side: Side, user: User, question: str) -> Trace:
    """A run from its start to its end, here and now: a test's transaction never commits."""
    trace = run_start(workspace=side.workspace, user=user, question=question)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def settled_apart(side: Side, user: User, question: str) -> Trace:
    """The same where the start is committed, so that a thread of the site takes it up."""
    trace = run_start(workspace=side.workspace, user=user, question=question)
    deadline = time.monotonic() + 60
    while trace.state == RunState.RUNNING and time.monotonic() < deadline:
        time.sleep(0.05)
        trace.refresh_from_db()
    assert trace.state == RunState.DONE
    return trace


def pages_of(trace: Trace) -> list[str]:
    return [
        reverse("chat-run", args=[trace.pk]),
        reverse("chat-run", args=[trace.pk]) + "?partial=live&upto=3",
        reverse("chat-run-json", args=[trace.pk]),
        reverse("chat-source", args=[trace.pk, 1]),
        reverse("trace", args=[trace.pk]),
    ]


def test_the_same_question_is_answered_from_the_askers_own_documents(
    sides: tuple[Side, Side],
) -> None:
    ours, theirs = sides
    for question in QUESTIONS:
        mine = asked(ours.workspace, ours.owner, question)
        assert ours.secrets[question] in plain(mine.answer)
        # Ours is in the cache by now; the same words from elsewhere do not find it.
        other = asked(theirs.workspace, theirs.owner, question)
        assert not other.cached
        assert theirs.secrets[question] in plain(other.answer)
        assert_keeps(ours, other.answer, other.parts)
        assert_keeps(theirs, mine.answer, mine.parts)
        again = asked(theirs.workspace, theirs.owner, question)
        assert again.cached
        assert_keeps(ours, again.answer, again.parts)


def test_naming_the_other_workspace_gives_a_stranger_nothing(sides: tuple[Side, Side]) -> None:
    ours, theirs = sides
    for question in QUESTIONS:
        asked(ours.workspace, ours.owner, question)
        outcome = asked(ours.workspace, theirs.owner, question)
        assert outcome.answer["refused"]
        assert not outcome.cached
        assert_keeps(ours, outcome.answer, outcome.parts)
    with pytest.raises(PermissionDenied):
        run_start(workspace=ours.workspace, user=theirs.owner, question=TEXT)
    for live in (chunks_live, tables_live, relations_live):
        assert live(ours.workspace, ours.owner).exists()
        assert not live(ours.workspace, theirs.owner).exists()


def test_events_of_a_run_speak_of_own_documents_alone(sides: tuple[Side, Side]) -> None:
    ours, theirs = sides
    for question in QUESTIONS:
        trace = settled(theirs, theirs.owner, question)
        assert_keeps(ours, list(trace.events.values_list("payload", flat=True)))


def test_traces_answers_and_sources_are_not_there_for_others(
    sides: tuple[Side, Side], client: Client
) -> None:
    ours, theirs = sides
    reader, auditor = (make_member(ours.workspace, role) for role in (Role.READER, Role.AUDITOR))
    foreign_auditor = make_member(theirs.workspace, Role.AUDITOR)
    for question in QUESTIONS:
        trace = settled(ours, ours.owner, question)
        for person in (theirs.owner, foreign_auditor, reader):
            client.force_login(person)
            for path in pages_of(trace):
                assert_not_there(ours, client.get(path))
        client.force_login(auditor)
        for path in pages_of(trace):
            assert client.get(path).status_code == 200
        assert ours.secrets[question] in plain(client.get(pages_of(trace)[2]).json())


def test_lists_and_counts_tell_of_own_things_alone(
    sides: tuple[Side, Side], client: Client
) -> None:
    ours, theirs = sides
    reader = make_member(ours.workspace)
    settled(ours, ours.owner, TEXT)
    settled(ours, ours.owner, TABLE)
    for person, documents, questions in ((theirs.owner, 3, 0), (reader, 3, 0), (ours.owner, 3, 2)):
        client.force_login(person)
        corpus = client.get(reverse("corpus"))
        assert corpus.context["total"] == documents
        assert client.get(reverse("telemetry")).context["page"].paginator.count == questions
        assert len(client.get(reverse("chat")).context["talks"]) == questions
    client.force_login(theirs.owner)
    shown = [
        client.get(path).content.decode()
        for path in (reverse("chat"), reverse("corpus"), reverse("telemetry"))
    ]
    assert_keeps(ours, *shown, client.get(reverse("corpus-status")).json())
    assert ours.owner.username not in "".join(shown)
    assert ours.workspace.name not in "".join(shown)


def test_documents_of_another_team_are_not_there_and_stay_as_they_are(
    sides: tuple[Side, Side], client: Client
) -> None:
    ours, theirs = sides
    client.force_login(theirs.owner)
    for document in ours.documents():
        for name in ("corpus-document", "corpus-download"):
            assert_not_there(ours, client.get(reverse(name, args=[document.pk])))
        for name in ("corpus-delete", "corpus-retry"):
            assert client.post(reverse(name, args=[document.pk])).status_code == 404
    assert len(ours.documents()) == 3
    switch = client.post(reverse("workspace-switch"), {"workspace": str(ours.workspace.pk)})
    assert switch.status_code == 404
    # A session that names a workspace of others falls back to an own one.
    session = client.session
    session["workspace"] = str(ours.workspace.pk)
    session.save()
    assert client.get(reverse("corpus")).context["workspace"] == theirs.workspace


def test_a_reader_and_an_auditor_read_and_change_nothing(
    sides: tuple[Side, Side], client: Client
) -> None:
    ours, _ = sides
    document = ours.documents()[0]
    for role in (Role.READER, Role.AUDITOR):
        client.force_login(make_member(ours.workspace, role))
        assert client.get(reverse("corpus-document", args=[document.pk])).status_code == 200
        assert client.get(reverse("corpus-download", args=[document.pk])).status_code == 200
        assert client.post(reverse("corpus-upload")).status_code == 403
        for name in ("corpus-delete", "corpus-retry"):
            reply = client.post(reverse(name, args=[document.pk]))
            assert reply.status_code in {403, 404}
        page = client.get(reverse("corpus")).content.decode()
        assert reverse("corpus-upload") not in page
        assert reverse("corpus-delete", args=[document.pk]) not in page
    assert len(ours.documents()) == 3


def test_who_leaves_the_team_loses_everything_at_once(
    sides: tuple[Side, Side], client: Client
) -> None:
    ours, theirs = sides
    leaver = make_member(ours.workspace, Role.AUDITOR)
    Membership.objects.create(workspace=theirs.workspace, user=leaver, role=Role.READER)
    traces = [settled(ours, leaver, question) for question in QUESTIONS]
    client.force_login(leaver)
    client.post(reverse("workspace-switch"), {"workspace": str(ours.workspace.pk)})
    for trace in traces:
        assert all(client.get(path).status_code == 200 for path in pages_of(trace))

    Membership.objects.filter(workspace=ours.workspace, user=leaver).delete()

    for trace in traces:
        for path in pages_of(trace):
            assert_not_there(ours, client.get(path))
    for document in ours.documents():
        assert client.get(reverse("corpus-document", args=[document.pk])).status_code == 404
        assert client.get(reverse("corpus-download", args=[document.pk])).status_code == 404
    assert client.get(reverse("chat")).context["workspace"] == theirs.workspace
    assert list(client.get(reverse("chat")).context["talks"]) == []
    for question in QUESTIONS:
        outcome = asked(ours.workspace, leaver, question)
        assert outcome.answer["refused"]
        assert_keeps(ours, outcome.answer, outcome.parts)


def test_a_person_of_two_teams_gets_each_answer_from_the_team_asked(
    sides: tuple[Side, Side],
) -> None:
    ours, theirs = sides
    both = make_member(ours.workspace)
    Membership.objects.create(workspace=theirs.workspace, user=both, role=Role.READER)
    for question in QUESTIONS:
        for side, other in ((ours, theirs), (theirs, ours)):
            outcome = asked(side.workspace, both, question)
            assert side.secrets[question] in plain(outcome.answer)
            assert_keeps(other, outcome.answer, outcome.parts)


def test_table_names_and_values_of_others_do_not_steer_a_question(
    sides: tuple[Side, Side],
) -> None:
    ours, theirs = sides
    schema = ours.workspace.schema_name
    for question in (
        f'SELECT * FROM "{schema}"."crates"',
        f"What is the total of crates in {schema}.crates?",
        f"How many rows does {schema}.crates have?",
    ):
        outcome = asked(theirs.workspace, theirs.owner, question)
        assert_keeps(ours, outcome.answer, outcome.parts)
        for part in outcome.parts:
            assert schema not in ((part["table"] or {}).get("sql") or "")


# Sockets read on connections of their own, so what they read is committed.


@pytest.fixture
def live_sides(transactional_db: None, django_db_serialized_rollback: None) -> Iterator[Any]:
    channel_layers.backends.clear()
    made = make_sides()
    yield made
    channel_layers.backends.clear()
    for workspace in Workspace.objects.all():
        workspace_delete(workspace=workspace)


def cookies(user: User, workspace: str = "") -> bytes:
    client = Client()
    client.force_login(user)
    if workspace:
        client.post(reverse("workspace-switch"), {"workspace": workspace})
    name = django_settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}".encode()


def socket(path: str, cookie: bytes = b"") -> WebsocketCommunicator:
    headers = [(b"origin", b"http://127.0.0.1"), (b"host", b"127.0.0.1")]
    if cookie:
        headers.append((b"cookie", cookie))
    return WebsocketCommunicator(application, path, headers=headers)


async def release() -> None:
    """End what belongs to this test's event loop: consumers, the layer's listener and its pool.

    The layer keeps one pool and one lock for the whole process, bound to the loop that used them.
    """
    others = [
        task
        for task in asyncio.all_tasks()
        if task is not asyncio.current_task() and not task.get_name().startswith("pool-")
    ]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if (pool := layer_db.connection_pool) is not None:
        await pool.close()
    layer_db.connection_pool = None
    layer_db.is_creating_connection_pool = asyncio.Lock()
    await sync_to_async(lambda: connection.close())()


async def events_of(path: str, cookie: bytes) -> list[dict[str, Any]]:
    talk = socket(path, cookie)
    assert (await talk.connect(timeout=20))[0]
    got: list[dict[str, Any]] = []
    while not got or got[-1]["kind"] != "run.finished":
        got.append(await talk.receive_json_from(timeout=20))
    await talk.disconnect()
    return got


async def test_the_socket_of_a_run_opens_for_those_who_may_read_it(live_sides: Any) -> None:
    ours, theirs = live_sides
    trace = await sync_to_async(settled_apart)(ours, ours.owner, TEXT)
    path = f"/ws/runs/{trace.pk}/"
    reader = await sync_to_async(make_member)(ours.workspace)
    auditor = await sync_to_async(make_member)(ours.workspace, Role.AUDITOR)
    try:
        for person in (ours.owner, auditor):
            got = await events_of(path, await sync_to_async(cookies)(person))
            assert [event["seq"] for event in got] == list(range(1, len(got) + 1))
            assert "route.decided" in [event["kind"] for event in got]
        for person in (theirs.owner, reader):
            talk = socket(path, await sync_to_async(cookies)(person))
            assert await talk.connect(timeout=20) == (False, NOT_FOUND)
        assert await socket(path).connect(timeout=20) == (False, NOT_FOUND)
        nowhere = f"/ws/runs/{uuid.uuid4()}/"
        cookie = await sync_to_async(cookies)(ours.owner)
        assert await socket(nowhere, cookie).connect(timeout=20) == (False, NOT_FOUND)
    finally:
        await release()


async def test_the_socket_of_the_corpus_tells_of_the_own_workspace_alone(live_sides: Any) -> None:
    ours, theirs = live_sides
    tell = sync_to_async(changed)
    ours_document = (await sync_to_async(ours.documents)())[0]
    theirs_document = (await sync_to_async(theirs.documents)())[0]
    try:
        talk = socket("/ws/corpus/", await sync_to_async(cookies)(theirs.owner))
        assert await talk.connect(timeout=20) == (True, None)
        expected = {"type": "corpus.changed", "document": str(theirs_document.pk)}
        # What is told before the layer listens is lost, so it is told until it is heard.
        for _ in range(40):
            await tell(theirs_document)
            if not await talk.receive_nothing(timeout=0.5):
                break
        while not await talk.receive_nothing(timeout=0.5):
            assert await talk.receive_json_from(timeout=20) == expected
        await tell(ours_document)
        await tell(theirs_document)
        assert await talk.receive_json_from(timeout=20) == expected
        assert await talk.receive_nothing(timeout=0.5)
        # A right withdrawn while the page is open is withdrawn with the next message.
        await sync_to_async(Membership.objects.filter(user=theirs.owner).delete)()
        await tell(theirs_document)
        assert (await talk.receive_output(timeout=20)) == {
            "type": "websocket.close",
            "code": NOT_FOUND,
        }
        assert await socket("/ws/corpus/").connect(timeout=20) == (False, NOT_FOUND)
    finally:
        await release()


async def test_who_is_removed_hears_no_more_though_they_are_in_another_workspace(
    live_sides: Any,
) -> None:
    ours, theirs = live_sides
    both = await sync_to_async(make_member)(ours.workspace)
    await sync_to_async(membership_set)(workspace=theirs.workspace, user=both, role=Role.READER)
    document = (await sync_to_async(ours.documents)())[0]
    tell, key = sync_to_async(changed), str(ours.workspace.pk)
    try:
        talk = socket("/ws/corpus/", await sync_to_async(cookies)(both, workspace=key))
        assert await talk.connect(timeout=20) == (True, None)
        for _ in range(40):
            await tell(document)
            if not await talk.receive_nothing(timeout=0.5):
                break
        while not await talk.receive_nothing(timeout=0.5):
            assert (await talk.receive_json_from(timeout=20))["document"] == str(document.pk)
        held = await sync_to_async(ours.workspace.memberships.get)(user=both)
        await sync_to_async(membership_remove)(membership=held, actor=ours.owner)
        await tell(document)
        closed = {"type": "websocket.close", "code": NOT_FOUND}
        assert await talk.receive_output(timeout=20) == closed
    finally:
        await release()


async def test_the_socket_of_a_run_ends_when_its_reader_is_removed(live_sides: Any) -> None:
    ours, _ = live_sides
    auditor = await sync_to_async(make_member)(ours.workspace, Role.AUDITOR)
    begin = sync_to_async(trace_begin)
    trace = await begin(workspace=ours.workspace, user=ours.owner, question=TEXT, language="en")
    try:
        talk = socket(f"/ws/runs/{trace.pk}/", await sync_to_async(cookies)(auditor))
        assert await talk.connect(timeout=20) == (True, None)
        held = await sync_to_async(ours.workspace.memberships.get)(user=auditor)
        await sync_to_async(membership_remove)(membership=held, actor=ours.owner)
        await sync_to_async(trace.events.create)(seq=900, kind="step", payload={"secret": "kiln"})
        heard = []
        while (told := await talk.receive_output(timeout=20))["type"] != "websocket.close":
            heard.append(told)
        assert "kiln" not in str(heard)
    finally:
        await release()


async def test_a_page_of_another_origin_opens_no_socket(live_sides: Any) -> None:
    ours, _ = live_sides
    cookie = await sync_to_async(cookies)(ours.owner)
    try:
        talk = WebsocketCommunicator(
            application,
            "/ws/corpus/",
            headers=[(b"origin", b"http://elsewhere.example"), (b"cookie", cookie)],
        )
        connected, code = await talk.connect(timeout=20)
        assert not connected
        assert code != NOT_FOUND
    finally:
        await release()
