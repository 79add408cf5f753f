"""Rows, file and verdict under an answer from tables, for four people."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from corpus.models import Document
from corpus.services import document_trash
from retrieval import sql
from retrieval.models import CachedAnswer, SqlVerdict
from retrieval.runs import run_execute, run_start
from retrieval.sql.catalogue import catalogue_read
from retrieval.sql.verdicts import examples, verdict_give
from teams.models import Role
from telemetry.models import Conversation, Trace
from tests.factories import ingest, make_member, make_workspace
from tests.retrieval.sql.test_by_model import Scribe

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
CRATES = "Orchard;Month;Crates\n" + "".join(
    f"{name};2025-0{month};{100 * month + len(name)}\n"
    for name in ("Alderhill", "Brook", "=HYPERLINK(1)")
    for month in (1, 2, 3)
)
QUESTION = "What is the total of crates by orchard?"


@pytest.fixture
def team() -> Workspace:
    return make_workspace()


@pytest.fixture
def asker(team: Workspace) -> User:
    ingest(team, make_member(team, Role.OWNER), "crates.csv", CRATES)
    return make_member(team, Role.READER)


def run_of(team: Workspace, user: User, question: str = QUESTION) -> Trace:
    trace = run_start(workspace=team, user=user, question=question)
    run_execute(trace.pk)
    trace.refresh_from_db()
    assert trace.parts[0]["table"], trace.parts[0]
    return trace


@pytest.fixture
def trace(team: Workspace, asker: User) -> Trace:
    return run_of(team, asker)


def addresses(trace: Trace) -> list[str]:
    return [reverse("chat-rows", args=[trace.pk, 0]), reverse("chat-rows-csv", args=[trace.pk, 0])]


def say(client: Client, trace: Trace, verdict: str) -> Any:
    return client.post(reverse("chat-verdict", args=[trace.pk, 0]), {"verdict": verdict})


def body(reply: Any) -> str:
    return (b"".join(reply) if reply.streaming else reply.content).decode()


def test_the_rows_are_shown_and_sent_as_a_file_without_formulas(
    client: Client, asker: User, trace: Trace
) -> None:
    client.force_login(asker)
    page, file = (client.get(address) for address in addresses(trace))

    assert "Alderhill" in body(page)
    assert file["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.reader(io.StringIO(body(file).removeprefix("\ufeff"))))
    assert len(rows) == 4
    assert {row[0] for row in rows[1:]} == {"Alderhill", "Brook", "'=HYPERLINK(1)"}


def test_only_who_may_read_the_run_gets_its_rows(
    client: Client, team: Workspace, trace: Trace
) -> None:
    colleague, auditor = make_member(team), make_member(team, Role.AUDITOR)
    stranger = make_member(make_workspace())
    for address in addresses(trace):
        client.logout()
        assert client.get(address).status_code == 302
        for person, status in ((colleague, 404), (stranger, 404), (auditor, 200)):
            client.force_login(person)
            assert client.get(address).status_code == status
    for person in (colleague, stranger):
        client.force_login(person)
        assert say(client, trace, "right").status_code == 404
    client.logout()
    assert say(client, trace, "right").status_code == 302
    assert not SqlVerdict.objects.exists()


def test_a_shared_answer_gives_its_rows_to_the_workspace_alone(
    client: Client, team: Workspace, trace: Trace
) -> None:
    assert trace.conversation_id is not None
    Conversation.objects.filter(pk=trace.conversation_id).update(shared=True)
    for person, status in ((make_member(team), 200), (make_member(make_workspace()), 404)):
        client.force_login(person)
        for address in addresses(trace):
            assert client.get(address).status_code == status


def test_a_withdrawn_table_gives_no_row_and_takes_no_verdict(
    client: Client, team: Workspace, asker: User, trace: Trace
) -> None:
    owner = team.memberships.filter(role=Role.OWNER).last()
    assert owner is not None
    document_trash(document=Document.objects.get(name="crates.csv"), user=owner.user)
    client.force_login(asker)
    for address in addresses(trace):
        assert client.get(address).status_code == 404
    assert say(client, trace, "right").status_code == 404


def test_a_part_that_is_not_there_is_missing(client: Client, asker: User, trace: Trace) -> None:
    client.force_login(asker)
    assert client.get(reverse("chat-rows", args=[trace.pk, 7])).status_code == 404


def test_many_rows_come_fifty_at_a_time(client: Client, team: Workspace) -> None:
    owner = make_member(team, Role.OWNER)
    rows = "".join(f"Person {n:03};{n}\n" for n in range(120))
    ingest(team, owner, "people.csv", f"Person;Points\n{rows}")
    long = run_of(team, owner, "What is the total of points by person?")
    client.force_login(owner)
    first = body(client.get(addresses(long)[0]))
    last = body(client.get(addresses(long)[0] + "?page=3"))

    assert len(long.parts[0]["table"]["rows"]) == 50
    assert first.count("<td>Person ") == 50 and "?page=2" in first
    assert last.count("<td>Person ") == 20 and "?page=4" not in last
    assert body(client.get(addresses(long)[1])).count("Person ") == 120


def test_a_small_series_is_drawn_and_its_table_stays(
    client: Client, asker: User, trace: Trace
) -> None:
    client.force_login(asker)
    page = body(client.get(reverse("chat-run", args=[trace.pk])))

    drawn = page.split('class="series"')[1].split("</figure>")[0]
    assert drawn.count('<rect class="s0"') == 3
    assert "<title" in drawn and "<desc" in drawn and "style=" not in drawn
    assert "<td>Alderhill</td>" in page


def test_right_is_said_shown_and_taken_back(client: Client, asker: User, trace: Trace) -> None:
    client.force_login(asker)
    reply = say(client, trace, "right")
    assert reply.url.endswith("#verdict-0")
    assert SqlVerdict.objects.get().right
    page = body(client.get(reverse("chat-run", args=[trace.pk])))
    assert "You said that this is right." in page
    say(client, trace, "none")
    assert not SqlVerdict.objects.exists()
    say(client, trace, "nonsense")
    assert not SqlVerdict.objects.exists()


def test_wrong_takes_the_place_of_right_and_ends_the_kept_answer(
    client: Client, asker: User, trace: Trace
) -> None:
    client.force_login(asker)
    assert CachedAnswer.objects.exists()
    say(client, trace, "right")
    say(client, trace, "wrong")

    assert [row.right for row in SqlVerdict.objects.all()] == [False]
    assert not CachedAnswer.objects.exists()


def found_for(team: Workspace, user: User, tables_of: User) -> tuple[str, ...]:
    verdict = SqlVerdict.objects.filter(right=True).first()
    assert verdict is not None
    tables = catalogue_read(workspace=team, user=tables_of)
    found = examples(workspace=team, user=user, tables=tables, vector=verdict.embedding)
    return tuple(item.question for item in found)


def test_a_verified_pair_is_an_example_to_those_who_may_read_its_tables(
    team: Workspace, asker: User, trace: Trace
) -> None:
    verdict_give(trace=trace, position=0, user=asker, right=True)
    colleague, stranger = make_member(team), make_member(make_workspace())

    assert found_for(team, colleague, colleague) == (QUESTION,)
    assert found_for(team, stranger, asker) == ()
    assert found_for(team, colleague, stranger) == ()


def test_a_pair_that_somebody_found_wrong_is_no_example(
    team: Workspace, asker: User, trace: Trace
) -> None:
    verdict_give(trace=trace, position=0, user=asker, right=True)
    other = make_member(team, Role.AUDITOR)
    verdict_give(trace=trace, position=0, user=other, right=False)

    assert found_for(team, asker, asker) == ()


def test_examples_reach_the_model_without_the_schema_of_the_workspace(
    team: Workspace, asker: User, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict_give(trace=trace, position=0, user=asker, right=True)
    scribe = Scribe("NONE")
    monkeypatch.setattr("retrieval.sql.generator", lambda: scribe)
    vector = SqlVerdict.objects.get().embedding
    sql.search(
        workspace=team, user=asker, text="Predict the crates of Brook", language="en", vector=vector
    )

    assert f"Question: {QUESTION}" in scribe.asked[0]
    assert "ws_" not in scribe.asked[0]


def result(team: Workspace, user: User, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    try:
        call_command("verify_sql", workspace=team.slug, user=user.username)
    except SystemExit as left:
        assert left.code == 1
    said = capsys.readouterr().out
    return dict(json.loads(said.split("RESULT ")[1]))


def test_verified_questions_are_asked_again_by_command(
    team: Workspace, asker: User, trace: Trace, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict_give(trace=trace, position=0, user=asker, right=True)
    assert result(team, asker, capsys)["same"] == 1
    SqlVerdict.objects.update(sql=SqlVerdict.objects.get().sql.replace("SUM", "MAX"))
    assert result(team, asker, capsys)["different"] == 1
    SqlVerdict.objects.update(sql="SELECT gone FROM gone")
    assert result(team, asker, capsys)["gone"] == 1
