"""The options on the pages: what is chosen, what is refused, what is shown afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from corpus.services import document_delete
from corpus.tags import document_tag
from retrieval.options import options_parse
from retrieval.runs import run_execute, run_start
from teams.models import Role
from telemetry.models import Trace
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

SALES = "Region;Units\nNorth;10\nSouth;7\nSouth;20\n"
HANDBOOK = "# Holidays\n\nEvery employee has 23 working days of paid holiday per year.\n"
BOTH = (
    "What is the total of units in the South, and how many days of holiday does an employee have?"
)


@pytest.fixture
def team() -> Workspace:
    made = make_workspace()
    owner = make_member(made, Role.OWNER)
    ingest(made, owner, "sales.csv", SALES)
    document_tag(document=ingest(made, owner, "handbook.md", HANDBOOK), tags=["hr"])
    return made


@pytest.fixture
def asker(team: Workspace, client: Client) -> User:
    user = make_member(team)
    client.force_login(user)
    return user


def run_of(team: Workspace, user: User, question: str, **chosen: Any) -> Trace:
    trace = run_start(workspace=team, user=user, question=question, options=options_parse(chosen))
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def test_the_form_names_every_option_and_only_what_the_reader_may_pick(
    client: Client, team: Workspace, asker: User
) -> None:
    stranger = make_user()
    other = make_workspace(stranger)
    secret = ingest(other, stranger, "secret.md", HANDBOOK)
    document_tag(document=secret, tags=["hidden"])
    page = client.get(reverse("chat")).content.decode()
    for name in ("route", "mode", "top_k", "document", "kind", "tag", "language", "date_to"):
        assert f'name="{name}"' in page
        assert f'for="option-{name}"' in page
    assert '<option value="hr">' in page
    assert "secret.md" not in page
    assert "hidden" not in page.split("<datalist", 1)[1].split("</details>", 1)[0]


@pytest.mark.parametrize(
    ("sent", "named", "allowed"),
    [
        ({"page_from": "x"}, "page_from", "a whole number from 1"),
        ({"date_to": "31.12."}, "date_to", "2026-12-31"),
        ({"route": "oracle"}, "route", "relational, vectorial, graph"),
        ({"top_k": "900"}, "top_k", "from 1 to 50"),
        ({"tag": "hr", "route": "graph"}, "route", "vectorial"),
    ],
)
def test_a_malformed_option_is_a_400_that_keeps_what_was_typed(
    client: Client, team: Workspace, asker: User, sent: dict[str, str], named: str, allowed: str
) -> None:
    reply = client.post(
        reverse("chat-ask"), {"question": "How many days?", "heading": "Kept", **sent}
    )
    page = reply.content.decode()
    assert reply.status_code == 400
    assert f"“{named}”" in reply.context["refusal"]
    assert allowed in reply.context["refusal"]
    assert "How many days?" in page
    assert 'value="Kept"' in page
    assert '<details class="reading" id="options" open' in page
    assert page.count('aria-invalid="true"') == 1
    assert not Trace.objects.exists()


def test_what_was_chosen_begins_the_run_and_is_shown_with_it(
    client: Client, team: Workspace, asker: User
) -> None:
    client.post(reverse("chat-ask"), {"question": "Days?", "route": "graph", "top_k": "3"})
    trace = Trace.objects.get()
    assert trace.options == {"route": "graph", "top_k": 3}
    for path in ("chat-run", "trace"):
        page = client.get(reverse(path, args=[trace.pk])).content.decode()
        used = page.split('id="options-used"')[1].split("</p>")[0]
        assert "Route: <strong>Graph</strong>" in used
        assert "Passages: <strong>3</strong>" in used


def test_the_defaults_are_not_talked_about(client: Client, team: Workspace, asker: User) -> None:
    client.post(reverse("chat-ask"), {"question": "Days?", "mode": "hybrid", "top_k": "8"})
    trace = Trace.objects.get()
    assert trace.options == {}
    assert (
        'id="options-used"' not in client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    )


def test_a_run_is_answered_in_the_way_that_was_chosen(
    client: Client, team: Workspace, asker: User
) -> None:
    trace = run_of(team, asker, "How many days of holiday are there?", route="graph")
    assert trace.stage == "override"
    assert (
        "A person chose this route."
        in client.get(reverse("trace", args=[trace.pk])).content.decode()
    )


def test_four_people_and_the_run_with_options(client: Client, team: Workspace, asker: User) -> None:
    trace = run_of(team, asker, "How many days of holiday are there?", tag="hr")
    stranger = make_workspace().memberships.get().user
    for person, status in ((asker, 200), (make_member(team), 404), (stranger, 404)):
        client.force_login(person)
        assert client.get(reverse("chat-run", args=[trace.pk])).status_code == status
    client.force_login(make_member(team, Role.OWNER))
    assert "hr" in client.get(reverse("trace", args=[trace.pk])).content.decode()
    client.logout()
    assert client.post(reverse("chat-ask"), {"question": "Days?", "tag": "hr"}).status_code == 302


def test_a_deleted_copy_is_neither_named_nor_counted(
    client: Client, team: Workspace, asker: User
) -> None:
    owner = make_member(team, Role.OWNER)
    copies = [ingest(team, owner, f"copy{n}.md", HANDBOOK + "\n" * n) for n in (1, 2)]
    trace = run_of(
        team, asker, "How many days of holiday does an employee have?", route="vectorial"
    )
    path = reverse("chat-run", args=[trace.pk])
    assert "2 copies say the same" in client.get(path).content.decode()
    hit = next(hit for hit in trace.parts[0]["hits"] if hit["copies"])
    gone = hit["copies"][0]["document"]
    document_delete(
        document=next(d for d in copies if d.name == gone)
        if gone != "handbook.md"
        else team.documents.get(name=gone)
    )
    page = client.get(path).content.decode()
    assert "1 copy says the same" in page


def test_J2_each_part_of_a_message_is_routed_asked_and_shown_on_its_own(
    client: Client, team: Workspace, asker: User
) -> None:
    trace = run_of(team, asker, BOTH)
    assert [part["route"] for part in trace.parts] == ["relational", "vectorial"]
    assert "27" in trace.answer["parts"][0]["text"]
    assert "23 working days" in trace.answer["parts"][1]["text"]
    page = client.get(reverse("chat-run", args=[trace.pk])).content.decode()
    for part in trace.parts:
        assert f'id="part-{part["position"]}" data-route="{part["route"]}"' in page
        assert page.count(f'<p class="said">{part["said"]}</p>') == 1
        assert f'<h3 class="said">{part["said"]}</h3>' in page


def test_J3_the_numbers_of_the_decision_are_stored_and_shown(
    client: Client, team: Workspace, asker: User
) -> None:
    trace = run_of(team, asker, "How many days of holiday does an employee have?")
    part = trace.parts[0]
    assert {item["route"] for item in part["scores"]} == {"relational", "vectorial", "graph"}
    assert part["stage"] in {"cosine", "evidence", "fallback"}
    assert part["margin"] == pytest.approx(part["scores"][0]["score"] - part["scores"][1]["score"])
    page = client.get(reverse("trace", args=[trace.pk])).content.decode()
    for item in part["scores"]:
        assert f"{item['score']:.3f}" in page
        assert item["anchor"].replace("'", "&#x27;") in page
    assert f"{part['margin']:.3f}" in page
    assert f"revision {part['revision']}" in page


def test_an_answer_filtered_by_a_tag_is_not_given_again_once_the_tag_is_gone(
    team: Workspace, asker: User
) -> None:
    asked = "How many days of holiday does an employee have?"
    assert "23" in run_of(team, asker, asked, tag="hr").answer["text"]
    assert run_of(team, asker, asked, tag="hr").cached
    document_tag(document=team.documents.get(name="handbook.md"), tags=[])

    again = run_of(team, asker, asked, tag="hr")

    assert not again.cached
    assert "23" not in again.answer["text"]
