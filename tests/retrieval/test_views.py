from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from corpus.models import Chunk
from corpus.services import document_delete
from teams.models import Role
from telemetry.models import Conversation, RunEvent, RunState, Trace
from telemetry.names import EventKind
from tests.factories import ingest, make_member, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from corpus.models import Document
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
SECRET = "The kiln of Alder Hill is fired to 1240 degrees on every second Monday."
SCORES = [
    {"route": "vectorial", "score": 0.91, "anchor": "How is a kiln fired?"},
    {"route": "graph", "score": 0.84, "anchor": "Who leads the plant?"},
    {"route": "relational", "score": 0.83, "anchor": "How many pieces were made?"},
]


def part(**more: Any) -> dict[str, Any]:
    return {
        "position": 0,
        "said": "How hot is the kiln?",
        "text": "How hot is the kiln?",
        "route": "vectorial",
        "stage": "cosine",
        "margin": 0.07,
        "reason": "cosine 0.910 >= 0.880",
        "revision": 4,
        "scores": SCORES,
        "evidence": [],
        **more,
    }


def text_trace(workspace: Workspace, user: User, document: Document) -> Trace:
    chunk = Chunk.objects.filter(version=document.current, text__contains="1240").get()
    found = {
        "chunk_id": str(chunk.pk),
        "document_id": str(document.pk),
        "document": document.name,
        "heading_path": chunk.heading_path,
        "page": None,
    }
    hit = {**found, "score": 0.03, "cosine": 0.9, "ranks": {"vector": 1}}
    citation = {
        **found,
        "n": 1,
        "kind": "text",
        "version_id": str(document.current_id),
        "sql": "",
    }
    return make_trace(
        workspace,
        user,
        parts=[part(store="vectorial", note="", hits=[hit], facts=[], table=None)],
        answer={
            "text": f"“{SECRET}” [1]",
            "parts": [],
            "citations": [citation],
            "refused": False,
            "model": "",
            "unsupported": [],
        },
    )


def make_trace(workspace: Workspace, user: User, **more: Any) -> Trace:
    trace: Trace = Trace.objects.create(
        workspace=workspace,
        user=user,
        question="How hot is the kiln?",
        state=more.pop("state", RunState.DONE),
        route="vectorial",
        **more,
    )
    return trace


@pytest.fixture
def team() -> Workspace:
    return make_workspace()


@pytest.fixture
def asker(team: Workspace) -> User:
    return make_member(team)


@pytest.fixture
def document(team: Workspace) -> Document:
    owner = make_member(team, Role.OWNER)
    return ingest(team, owner, "kiln.md", f"# Kiln\n\n{SECRET}\n\n# Glaze\n\nWhite glaze.\n")


def pages(trace: Trace) -> list[str]:
    return [
        reverse("chat-run", args=[trace.pk]),
        reverse("chat-run-json", args=[trace.pk]),
        reverse("chat-source", args=[trace.pk, 1]),
    ]


def test_every_page_asks_a_visitor_to_sign_in(client: Client, team: Workspace, asker: User) -> None:
    trace = make_trace(team, asker)
    for path in [reverse("chat"), *pages(trace)]:
        reply = client.get(path)
        assert reply.status_code == 302
        assert reply["Location"].startswith(reverse("login"))


def test_the_ask_page_lists_only_own_conversations(
    client: Client, team: Workspace, asker: User
) -> None:
    owner = make_member(team, Role.OWNER)
    for person in (asker, owner):
        Conversation.objects.create(workspace=team, user=person, title="Kilns")
    client.force_login(asker)
    talks = client.get(reverse("chat")).context["talks"]
    assert [talk.user for talk in talks] == [asker]
    # An auditor may read what others asked, but those are not their own conversations.
    client.force_login(owner)
    assert [talk.user for talk in client.get(reverse("chat")).context["talks"]] == [owner]


def test_a_question_begins_a_run_and_leads_to_its_page(
    client: Client, team: Workspace, asker: User
) -> None:
    client.force_login(asker)
    reply = client.post(reverse("chat-ask"), {"question": "How hot is the kiln?"})
    trace = Trace.objects.get(user=asker)
    assert trace.workspace == team
    assert reply.status_code == 302
    assert reply["Location"] == reverse("chat-run", args=[trace.pk])


@pytest.mark.parametrize("question", ["", "   ", "???", "a\x00b", "x" * 2001])
def test_a_question_that_cannot_be_taken_is_kept_and_explained(
    client: Client, team: Workspace, asker: User, question: str
) -> None:
    client.force_login(asker)
    reply = client.post(reverse("chat-ask"), {"question": question})
    assert reply.status_code == 400
    assert reply.context["refusal"]
    assert reply.context["question"] == question.replace("\x00", "")
    assert not Trace.objects.exists()


def test_asking_by_get_is_refused(client: Client, team: Workspace, asker: User) -> None:
    client.force_login(asker)
    assert client.get(reverse("chat-ask")).status_code == 405


def test_people_of_another_workspace_and_fellow_readers_find_nothing(
    client: Client, team: Workspace, asker: User, document: Document
) -> None:
    trace = text_trace(team, asker, document)
    stranger = make_workspace().memberships.get().user
    for person in (stranger, make_member(team), make_member(team, Role.CURATOR)):
        client.force_login(person)
        for path in pages(trace):
            reply = client.get(path)
            assert reply.status_code == 404
            assert "1240" not in reply.content.decode()


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.OWNER])
def test_an_auditor_reads_what_a_member_asked(
    client: Client, team: Workspace, asker: User, document: Document, role: str
) -> None:
    trace = text_trace(team, asker, document)
    client.force_login(make_member(team, role))
    for path in pages(trace):
        assert client.get(path).status_code == 200


def test_a_settled_run_is_complete_without_a_script(
    client: Client, team: Workspace, asker: User, document: Document
) -> None:
    trace = text_trace(team, asker, document)
    client.force_login(asker)
    page = client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    assert SECRET in page
    assert reverse("chat-source", args=[trace.pk, 1]) in page
    assert "How is a kiln fired?" in page
    assert "0.910" in page
    assert "<noscript>" not in page
    assert "style=" not in page


def test_a_running_run_shows_the_route_before_the_answer(
    client: Client, team: Workspace, asker: User
) -> None:
    trace = make_trace(team, asker, state=RunState.RUNNING)
    for seq, (kind, payload) in enumerate(
        [
            (EventKind.RUN_STARTED, {}),
            (EventKind.ROUTE_DECIDED, part()),
            (EventKind.ANSWER_DELTA, {"text": "It is hot."}),
        ],
        start=1,
    ):
        RunEvent.objects.create(trace=trace, seq=seq, kind=kind, payload=payload)
    client.force_login(asker)
    path = reverse("chat-run", args=[trace.pk])
    early = client.get(path, {"partial": "live", "upto": "2"}).content.decode()
    assert "How is a kiln fired?" in early
    assert "It is hot." not in early
    assert "<html" not in early
    whole = client.get(path).content.decode()
    assert "It is hot." in whole
    assert '<noscript><meta http-equiv="refresh"' in whole


def test_run_json_says_how_the_run_stands(
    client: Client, team: Workspace, asker: User, document: Document
) -> None:
    trace = text_trace(team, asker, document)
    client.force_login(asker)
    assert client.get(reverse("chat-run-json", args=[trace.pk])).json() == {
        "state": "done",
        "answer": f"“{SECRET}” [1]",
        "routes": ["vectorial"],
        "citations": [{"n": 1, "document": "kiln.md"}],
        "trace_url": reverse("trace", args=[trace.pk]),
    }


def test_a_source_marks_the_passage_in_its_document(
    client: Client, team: Workspace, asker: User, document: Document
) -> None:
    trace = text_trace(team, asker, document)
    client.force_login(asker)
    page = client.get(reverse("chat-source", args=[trace.pk, 1])).content.decode()
    assert f"<mark>{SECRET}" in page
    assert "White glaze." in page


def test_an_unknown_source_is_not_there(client: Client, team: Workspace, asker: User) -> None:
    trace = make_trace(team, asker)
    client.force_login(asker)
    assert client.get(reverse("chat-source", args=[trace.pk, 7])).status_code == 404


def test_a_deleted_document_leaves_no_text_on_any_page(
    client: Client, team: Workspace, asker: User, document: Document
) -> None:
    trace = text_trace(team, asker, document)
    document_delete(document=document)
    client.force_login(asker)
    for path in pages(trace):
        reply = client.get(path)
        assert reply.status_code == 200
        assert "1240" not in reply.content.decode()
    assert client.get(reverse("chat-source", args=[trace.pk, 1])).context["source"].withdrawn


def table_trace(workspace: Workspace, user: User, document: Document) -> Trace:
    table = {
        "sql": "SELECT SUM(crates) FROM harvest",
        "origin": "compiled",
        "plan": "sum of crates",
        "columns": ["total"],
        "rows": [["987654"]],
        "sentence": "The total is 987654.",
        "title": "harvest",
        "document_id": str(document.pk),
        "version_id": str(document.current_id),
        "document": document.name,
        "truncated": False,
    }
    citation = {
        "n": 1,
        "kind": "sql",
        "document_id": str(document.pk),
        "version_id": str(document.current_id),
        "document": document.name,
        "chunk_id": "",
        "heading_path": "harvest",
        "page": None,
        "sql": table["sql"],
    }
    return make_trace(
        workspace,
        user,
        parts=[
            part(route="relational", store="relational", note="", hits=[], facts=[], table=table)
        ],
        answer={"text": "The total is 987654. [1]", "parts": [], "citations": [citation]},
    )


def test_rows_are_shown_while_their_version_is_the_current_one(
    client: Client, team: Workspace, asker: User, document: Document
) -> None:
    trace = table_trace(team, asker, document)
    client.force_login(asker)
    for path in pages(trace):
        assert "987654" in client.get(path).content.decode()
    parts = trace.parts
    parts[0]["table"]["version_id"] = str(uuid.uuid4())
    trace.answer["citations"][0]["version_id"] = str(uuid.uuid4())
    trace.save()
    for path in pages(trace):
        assert "987654" not in client.get(path).content.decode()


def test_text_from_documents_and_questions_is_escaped(
    client: Client, team: Workspace, asker: User
) -> None:
    bad = "<script>alert(1)</script>"
    trace = make_trace(
        team,
        asker,
        parts=[part(said=bad, note=bad, store="vectorial", hits=[])],
        answer={"text": f"{bad} [1]", "parts": [], "citations": []},
    )
    Trace.objects.filter(pk=trace.pk).update(question=bad)
    client.force_login(asker)
    for path in (reverse("chat-run", args=[trace.pk]), reverse("trace", args=[trace.pk])):
        assert bad not in client.get(path).content.decode()


def test_the_pages_speak_portuguese(client: Client, team: Workspace, asker: User) -> None:
    client.force_login(asker)
    page = client.get(reverse("chat"), headers={"accept-language": "pt"}).content.decode()
    assert '<html lang="pt">' in page
    assert "O que quer saber?" in page
