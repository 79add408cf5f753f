"""Traces under audit: filters, exports, and who looked; the page of the audit log."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from corpus.models import Document
from teams.audit import audit_record
from teams.audit_models import AuditAction, AuditEntry
from teams.models import Role
from telemetry.models import Conversation, RunState, Trace
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


def made(team: Workspace, user: User, question: str = "Who?", **more: Any) -> Trace:
    trace: Trace = Trace.objects.create(
        workspace=team, user=user, question=question, **{"state": RunState.DONE, **more}
    )
    return trace


def asked(client: Client, **filters: str) -> list[str]:
    page = client.get(reverse("telemetry"), filters).context["page"]
    return sorted(trace.question for trace in page.object_list)


def exported(client: Client, kind: str, **filters: str) -> str:
    reply = client.get(reverse(f"trace-export-{kind}"), filters)
    assert reply.status_code == 200
    return b"".join(reply.streaming_content).decode()  # type: ignore[attr-defined]


def test_filters_by_days_document_cost_and_cache(client: Client) -> None:
    team = make_workspace()
    user = make_member(team)
    document = Document.objects.create(workspace=team, name="a.md")
    cites = {"citations": [{"n": 1, "document": "a.md", "document_id": str(document.pk)}]}
    made(team, user, "cited", answer=cites)
    made(team, user, "dear", cost="0.5")
    made(team, user, "kept", cached=True)
    old = made(team, user, "old")
    Trace.objects.filter(pk=old.pk).update(started_at="2020-05-05T23:59:59Z")
    client.force_login(user)
    assert asked(client, document="a.md") == ["cited"]
    document.visibility = "uploader"
    document.save()
    assert asked(client, document="a.md") == []
    assert asked(client, cost="0.4") == ["dear"]
    assert asked(client, cached="yes") == ["kept"]
    assert asked(client, to="2020-05-05") == ["old"]
    assert asked(client, **{"from": "2020-05-06"}) == ["cited", "dear", "kept"]
    for wrong in (
        {"cost": "x"},
        {"cost": "NaN"},
        {"to": "2020-13-01"},
        {"cached": "?"},
        {"to": "9999-12-31"},
    ):
        assert asked(client, **wrong) == []


def test_an_export_holds_what_the_list_shows_and_nothing_of_the_documents(client: Client) -> None:
    team = make_workspace()
    auditor, reader = make_member(team, Role.AUDITOR), make_member(team)
    part = {
        "position": 0, "route": "graph", "scores": [], "table": {"rows": [["secret"]]},
        "hits": [{"document": "secret.md"}],
    }  # fmt: skip
    answer = {"text": "secret", "citations": [{"n": 1, "document": "secret.md"}]}
    made(team, reader, "=SUM(A1)", parts=[part], answer=answer)
    made(team, auditor, "mine", route="graph")
    made(make_workspace(), make_user(), "elsewhere")
    client.force_login(auditor)
    rows = [json.loads(line) for line in exported(client, "jsonl").splitlines()]
    assert {row["question"] for row in rows} == {"=SUM(A1)", "mine"}
    text = exported(client, "csv")
    cells = {row["question"] for row in csv.DictReader(text.splitlines())}
    assert cells == {"'=SUM(A1)", "mine"}
    assert "secret" not in text + json.dumps(rows)
    assert len(exported(client, "jsonl", route="graph").splitlines()) == 1
    assert AuditEntry.objects.filter(action=AuditAction.EXPORTED, actor=auditor).count() == 3
    client.force_login(reader)
    assert "mine" not in exported(client, "csv")


def test_looking_at_anothers_trace_is_noted_once_an_hour_and_at_ones_own_never(
    client: Client,
) -> None:
    team = make_workspace()
    auditor, reader = make_member(team, Role.AUDITOR), make_member(team)
    theirs, mine = made(team, reader, "theirs"), made(team, auditor, "mine")
    client.force_login(auditor)
    for _ in range(2):
        for name in ("trace", "chat-run", "chat-run-json"):
            client.get(reverse(name, args=[theirs.pk]))
        client.get(reverse("trace", args=[mine.pk]))
        client.get(reverse("admin:telemetry_trace_change", args=[theirs.pk]))
        client.get(reverse("telemetry"))
    told = AuditEntry.objects.filter(action=AuditAction.READ_TRACE)
    assert sorted(told.values_list("target", flat=True)) == sorted(["list", str(theirs.pk)])
    assert {entry.actor for entry in told} == {auditor}


def test_what_is_shared_is_read_without_a_note(client: Client) -> None:
    team = make_workspace()
    reader = make_member(team)
    talk = Conversation.objects.create(workspace=team, user=reader, title="x", shared=True)
    trace = made(team, reader, conversation=talk)
    client.force_login(make_member(team))
    assert client.get(reverse("trace", args=[trace.pk])).status_code == 200
    assert not AuditEntry.objects.filter(action=AuditAction.READ_TRACE).exists()


def test_the_audit_log_is_read_by_its_auditors_alone_and_filtered(client: Client) -> None:
    team, elsewhere = make_workspace(), make_workspace()
    auditor, reader = make_member(team, Role.AUDITOR), make_member(team)
    audit_record(action=AuditAction.UPLOADED, actor=reader, workspace=team, target="ours.md")
    audit_record(action=AuditAction.DELETED, actor=auditor, workspace=team, target="gone.md")
    audit_record(action=AuditAction.UPLOADED, actor=reader, workspace=elsewhere, target="theirs.md")
    address = reverse("audit")

    def targets(**filters: str) -> list[str]:
        rows = client.get(address, filters).context["page"].object_list
        return sorted(entry.target for entry in rows)

    client.force_login(auditor)
    assert targets() == ["gone.md", "ours.md"]
    assert targets(person=reader.username) == ["ours.md"]
    assert targets(action="deleted") == ["gone.md"]
    assert targets(q="OURS") == ["ours.md"]
    assert targets(to="2020-01-01") == targets(to="nonsense") == targets(action="\x00?") == []
    for person in (reader, make_member(team, Role.CURATOR)):
        client.force_login(person)
        assert client.get(address).status_code == 403
    client.force_login(elsewhere.memberships.get().user)
    assert targets() == ["theirs.md"]
    client.logout()
    assert client.get(address).status_code == 302


@pytest.mark.parametrize("name", ["telemetry", "audit"])
def test_pages_take_as_many_queries_however_long_they_are(client: Client, name: str) -> None:
    team = make_workspace()
    auditor = make_member(team, Role.AUDITOR)
    client.force_login(auditor)
    client.get(reverse(name))
    made(team, auditor)
    audit_record(action=AuditAction.UPLOADED, actor=auditor, workspace=team, target="x")
    with CaptureQueriesContext(connection) as few:
        client.get(reverse(name))
    for _ in range(5):
        other = make_member(team)
        made(team, other)
        audit_record(action=AuditAction.UPLOADED, actor=other, workspace=team, target="x")
    with CaptureQueriesContext(connection) as many:
        client.get(reverse(name))
    assert len(many) == len(few) < 20
