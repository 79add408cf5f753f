"""Every operation of the schema, by four people, with the keys of what is there and what is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.utils import timezone

from retrieval.api.urls import api
from retrieval.runs import run_execute, run_start
from teams.models import Membership, Role, ServiceToken
from telemetry.models import Conversation, Trace
from tests.factories import make_member, make_user, make_workspace
from tests.retrieval.api.curated import curated
from tests.retrieval.api.programs import NOWHERE, SECRET, Program, program_of

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
QUESTION = "How hot is the kiln of Alder Hill?"
# What a reader without any further right may not do, whatever it is done to.
UPLOADS = {
    ("post", "/api/v1/documents"),
    ("delete", "/api/v1/documents/{document_id}"),
    ("post", "/api/v1/documents/{document_id}/restore"),
    ("put", "/api/v1/documents/{document_id}/readers"),
    ("delete", "/api/v1/trash/{document_id}"),
}
SAVED = {"reason": "tried", "revision": 0}
BODIES: dict[str, Any] = {
    "/api/v1/ask": {"question": QUESTION, "wait": 0},
    "/api/v1/search": {"question": QUESTION},
    "/api/v1/conversations/{conversation_id}": {"title": "Theirs now"},
    "/api/v1/members/{member_id}": {"role": "reader"},
    "/api/v1/anchors/{anchor_id}": {**SAVED, "active": False},
    "/api/v1/revisions/{revision_id}/restore": SAVED,
    "/api/v1/labels/{label_id}/review": {"verdict": "reject"},
    "/api/v1/documents/{document_id}/readers": {"visibility": "uploader"},
    "/api/v1/members/{member_id}/download": {"allowed": False},
    "/api/v1/groups/{group_id}": {"name": "Theirs now"},
    "/api/v1/names/{name_id}": {"state": "merged"},
    "/api/v1/runs/{run_id}/wrong-route": {"route": "graph"},
}
# What only who curates, or manages, the workspace comes near to: by the name of the key.
GUARDED = {
    "member_id",
    "anchor_id",
    "revision_id",
    "reroute_id",
    "group_id",
    "invitation_id",
    "name_id",
}
NUMBERS = {*GUARDED, "label_id"}


@pytest.fixture
def run(team: Workspace, document: Document, owner: User) -> Trace:
    """A run of somebody else than those who look."""
    trace = run_start(workspace=team, user=owner, question=QUESTION)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def keys(document: Document, run: Trace) -> dict[str, str]:
    return {
        "document_id": str(document.pk),
        "run_id": str(run.pk),
        "trace_id": str(run.pk),
        "conversation_id": str(run.conversation_id),
        "member_id": str(run.workspace.memberships.get(user=run.user).pk),
        "n": "1",
        **{name: str(key) for name, key in curated(run.workspace, run.user).items()},
    }


def operations() -> list[tuple[str, str]]:
    schema = api.get_openapi_schema(path_prefix="/api/")
    found = [(method, path) for path, held in schema["paths"].items() for method in held]
    assert len(found) >= 20
    return found


def tried(client: Client, method: str, path: str, held: dict[str, str]) -> Any:
    body = BODIES.get(path) if method in {"post", "patch", "put"} else None
    more = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    return getattr(client, method)(path.format(**held), **more)


def bytes_of(reply: Any) -> bytes:
    return b"" if reply.streaming else reply.content


@pytest.mark.parametrize(("method", "path"), operations())
def test_who_is_not_signed_in_and_a_stranger_get_nothing(
    method: str, path: str, document: Document, run: Trace, team: Workspace
) -> None:
    stranger = make_user()
    elsewhere = make_workspace(stranger)
    held = keys(document, run)
    for nobody in (Client(), Program(), Program("polyrag_wrong"), Program("x" * 5000)):
        reply = tried(nobody, method, path, held)
        assert reply.status_code == 401 and reply["WWW-Authenticate"] == "Bearer"
        assert reply["Content-Type"] == "application/problem+json"
    theirs = Client()
    theirs.force_login(stranger)
    for client in (theirs, program_of(elsewhere, stranger)):
        reply = tried(client, method, path, held)
        if "{" in path:
            assert reply.status_code == 404, reply.content
        assert SECRET.encode() not in bytes_of(reply) and b"kiln.md" not in bytes_of(reply)
        assert QUESTION.encode() not in bytes_of(reply) or path == "/api/v1/ask"
    document.refresh_from_db()
    assert document.trashed_at is None
    assert not Conversation.objects.filter(title="Theirs now").exists()


@pytest.mark.parametrize(("method", "path"), operations())
def test_a_reader_of_the_team_reads_documents_and_nobody_elses_questions(
    method: str, path: str, document: Document, run: Trace, team: Workspace
) -> None:
    reader = make_member(team)
    reply = tried(program_of(team, reader), method, path, keys(document, run))
    if (method, path) in UPLOADS:
        assert reply.status_code in {403, 404, 422}
    elif "document_id" in path:
        assert reply.status_code == 200
    elif "{" in path:
        guarded = any(f"{{{name}}}" in path for name in GUARDED) or path.endswith("/review")
        assert reply.status_code == (403 if guarded else 404)
    if method == "post" and path == "/api/v1/documents":
        assert reply.status_code == 422  # Nothing was sent with it.
    document.refresh_from_db()
    assert document.trashed_at is None


@pytest.mark.parametrize(("method", "path"), operations())
def test_what_is_not_there_is_not_found_by_its_owner_either(
    method: str, path: str, document: Document, run: Trace, team: Workspace, owner: User
) -> None:
    if "{" not in path:
        pytest.skip("names nothing")
    guessed = {**dict.fromkeys(keys(document, run), NOWHERE), "n": "1"} | dict.fromkeys(
        NUMBERS, "0"
    )
    reply = tried(program_of(team, owner), method, path, guessed)
    assert reply.status_code == 404 and reply["Content-Type"] == "application/problem+json"
    broken = {**dict.fromkeys(guessed, "1'--"), "n": "x"}
    beyond = {**guessed, **dict.fromkeys(NUMBERS, str(2**70))}
    assert tried(program_of(team, owner), method, path, beyond).status_code == 404
    assert tried(program_of(team, owner), method, path, broken).status_code == 404


def test_a_token_in_one_workspace_reads_nothing_of_another_of_its_owner(
    document: Document, run: Trace, owner: User
) -> None:
    elsewhere = program_of(make_workspace(owner), owner)
    assert elsewhere.send("get", f"/documents/{document.pk}").status_code == 404
    assert elsewhere.send("get", f"/runs/{run.pk}").status_code == 404
    assert elsewhere.send("get", "/history").json()["count"] == 0
    assert elsewhere.send("get", "/members").json()["count"] == 1


def test_scopes_bound_what_the_owner_could_do(
    document: Document, run: Trace, team: Workspace, owner: User
) -> None:
    narrow = program_of(team, owner, "see")
    assert narrow.send("get", f"/documents/{document.pk}").status_code == 200
    assert narrow.send("get", f"/runs/{run.pk}").status_code == 200
    assert narrow.send("post", "/ask", {"question": QUESTION}).status_code == 403
    assert narrow.send("post", "/search", {"question": QUESTION}).status_code == 403
    assert narrow.send("post", f"/runs/{run.pk}/cancel").status_code == 403
    refused = narrow.send("delete", f"/documents/{document.pk}")
    assert refused.status_code == 403 and refused["Content-Type"] == "application/problem+json"


def test_only_the_audit_scope_lists_the_traces_of_others(
    run: Trace, team: Workspace, owner: User
) -> None:
    auditor = make_member(team, Role.AUDITOR)

    def count(*scopes: str) -> int:
        return int(program_of(team, auditor, *scopes).send("get", "/traces").json()["count"])

    assert (count("see"), count("see", "audit")) == (0, 1)
    one = f"/traces/{run.pk}"
    assert program_of(team, auditor, "see").send("get", one).status_code == 404
    assert program_of(team, auditor, "audit").send("get", one).status_code == 200
    assert program_of(team, make_member(team)).send("get", one).status_code == 404


def test_losing_a_right_takes_effect_with_the_next_request(
    document: Document, team: Workspace
) -> None:
    person = make_member(team)
    program = program_of(team, person)
    one = f"/documents/{document.pk}"
    assert program.send("get", one).status_code == 200
    Membership.objects.filter(user=person).delete()
    assert program.send("get", one).status_code == 404
    ServiceToken.objects.update(revoked_at=timezone.now())
    assert program.send("get", one).status_code == 401


def test_a_session_needs_the_csrf_token_to_change_and_not_to_read(
    document: Document, owner: User
) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    assert browser.get("/api/v1/documents").status_code == 200
    refused = browser.delete(f"/api/v1/documents/{document.pk}")
    assert refused.status_code == 403 and "CSRF" in refused.json()["detail"]
    browser.cookies["csrftoken"] = "a" * 32
    allowed = browser.delete(f"/api/v1/documents/{document.pk}", headers={"X-CSRFToken": "a" * 32})
    assert allowed.status_code == 204


def test_a_wrong_token_is_not_made_good_by_a_session(owner: User, team: Workspace) -> None:
    browser = Client(headers={"Authorization": "Bearer polyrag_wrong"})
    browser.force_login(owner)
    assert browser.get("/api/v1/documents").status_code == 401
