from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from teams.models import Role
from telemetry.models import RunState, Span, Trace
from telemetry.panel import part_view, sql_shown, waterfall
from tests.factories import make_member, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


def make_trace(workspace: Workspace, user: User, question: str = "Who?", **more: Any) -> Trace:
    trace: Trace = Trace.objects.create(
        workspace=workspace, user=user, question=question, **{"state": RunState.DONE, **more}
    )
    return trace


def asked(client: Client, **filters: str) -> list[str]:
    page = client.get(reverse("telemetry"), filters).context["page"]
    return [trace.question for trace in page.object_list]


def test_a_reader_sees_own_traces_only(client: Client) -> None:
    team = make_workspace()
    reader, other = make_member(team), make_member(team)
    mine, theirs = make_trace(team, reader, "mine"), make_trace(team, other, "theirs")
    client.force_login(reader)
    assert asked(client) == ["mine"]
    assert client.get(reverse("trace", args=[mine.pk])).status_code == 200
    assert client.get(reverse("trace", args=[theirs.pk])).status_code == 404


def test_an_auditor_sees_all_traces_of_the_workspace_and_of_no_other(client: Client) -> None:
    team, elsewhere = make_workspace(), make_workspace()
    auditor = make_member(team, Role.AUDITOR)
    make_trace(team, make_member(team), "here")
    away = make_trace(elsewhere, make_member(elsewhere), "away")
    client.force_login(auditor)
    assert asked(client) == ["here"]
    assert client.get(reverse("trace", args=[away.pk])).status_code == 404


def test_a_reader_learns_no_names_from_the_filters(client: Client) -> None:
    team = make_workspace()
    other = make_member(team)
    make_trace(team, other)
    client.force_login(make_member(team))
    assert other.username not in client.get(reverse("telemetry")).content.decode()


def test_filters_narrow_the_list(client: Client) -> None:
    team = make_workspace()
    user = make_member(team)
    make_trace(team, user, "sum of sales", route="relational", stage="cosine")
    make_trace(team, user, "who leads", route="graph", stage="evidence", state=RunState.REFUSED)
    client.force_login(user)
    assert asked(client, route="graph") == ["who leads"]
    assert asked(client, stage="cosine") == ["sum of sales"]
    assert asked(client, state="refused") == ["who leads"]
    assert asked(client, q="SALES") == ["sum of sales"]
    assert asked(client, q="\x00", state="nonsense") == []


def test_long_lists_have_pages_that_keep_the_filters(client: Client) -> None:
    team = make_workspace()
    user = make_member(team)
    for number in range(27):
        make_trace(team, user, f"question {number}", route="graph")
    client.force_login(user)
    first = client.get(reverse("telemetry"), {"route": "graph"})
    assert len(first.context["page"].object_list) == 25
    assert "?route=graph&amp;page=2" in first.content.decode()
    assert len(asked(client, route="graph", page="2")) == 2


def test_the_trace_page_shows_the_numbers_and_no_rows(client: Client) -> None:
    team = make_workspace()
    user = make_member(team)
    table = {"sql": "SELECT 1 AS one", "origin": "compiled", "columns": ["a"], "rows": [["98765"]]}
    scores = [{"route": "relational", "score": 0.921, "anchor": "Sales by region"}]
    part = {"route": "relational", "stage": "cosine", "scores": scores, "table": table}
    trace = make_trace(team, user, parts=[part])
    Span.objects.create(trace=trace, span_id="a", name="ask", offset_ms=0, duration_ms=20)
    client.force_login(user)
    page = client.get(reverse("trace", args=[trace.pk])).content.decode()
    assert "Sales by region" in page
    assert "0.921" in page
    assert "1 AS one" in page
    assert "Whole question" in page
    assert "98765" not in page


def test_numbers_in_drawings_keep_their_point_in_portuguese(client: Client) -> None:
    team = make_workspace()
    user = make_member(team)
    scores = [{"route": "graph", "score": 0.9213, "anchor": "x"}]
    trace = make_trace(team, user, parts=[{"route": "graph", "stage": "cosine", "scores": scores}])
    client.force_login(user)
    reply = client.get(reverse("trace", args=[trace.pk]), headers={"accept-language": "pt"})
    page = reply.content.decode()
    width = part_view(trace.parts[0]).scores[0].width
    assert f'width="{width}"' in page
    assert "0,921" in page


def test_the_waterfall_stays_inside_its_frame_and_nests() -> None:
    def span(key: str, parent: str, offset: float, took: float) -> Span:
        return Span(span_id=key, parent_id=parent, name="ask", offset_ms=offset, duration_ms=took)

    rows = waterfall([span("c", "b", 50, 50), span("a", "", 0, 100), span("b", "a", 40, 60)])
    assert [row.depth for row in rows] == [0, 1, 2]
    assert all(row.left + row.width <= 100.01 for row in rows)
    assert (rows[2].left, rows[2].width) == (50.0, 50.0)
    assert waterfall([]) == []


def test_a_statement_is_shown_in_lines_and_without_the_workspace_schema() -> None:
    schema = "ws_" + "0a" * 16
    shown = sql_shown(f'SELECT SUM("a") AS r FROM "{schema}"."sales" WHERE "b" = 1')
    assert shown.splitlines()[-2:] == ["WHERE", '  "b" = 1']
    assert schema not in shown
    assert sql_shown("not ( sql") == "not ( sql"
