"""The usage page: the right figures by week, for auditors of this workspace alone."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from teams.models import Role
from telemetry import usage
from telemetry.models import RunState, Trace
from telemetry.usage import usage_of
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine: what is kept has a test of its own."""
    monkeypatch.setattr(usage, "SLOW_SECONDS", 600)


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


def asked(team: Workspace, user: User, ago: int = 0, **more: Any) -> Trace:
    """A settled trace of so many weeks ago."""
    values = {"state": RunState.DONE, "route": "vectorial", "duration_ms": 100.0, **more}
    made = Trace.objects.create(workspace=team, user=user, question="How hot?", **values)
    Trace.objects.filter(pk=made.pk).update(started_at=timezone.now() - timedelta(weeks=ago))
    return made


def test_the_figures_of_a_week_are_those_counted_by_hand(team: Workspace, owner: User) -> None:
    other = make_member(team)
    for number, ms in enumerate((100.0, 200.0, 300.0, 400.0)):
        asked(team, owner, duration_ms=ms, cached=number == 0, tokens_in=10, tokens_out=2)
    asked(team, other, route="relational+graph", duration_ms=1000.0, cost=Decimal("0.25"))
    asked(team, other, state=RunState.REFUSED, duration_ms=500.0)
    asked(team, other, state=RunState.FAILED, route="", duration_ms=9000.0)
    asked(team, other, state=RunState.INTERRUPTED, duration_ms=None)
    asked(team, owner, ago=2, cost=Decimal("0.5"))
    asked(team, owner, ago=40)
    asked(make_workspace(), other)

    found = usage_of(workspace=team, user=owner, weeks=4)

    assert [week.questions for week in found.weeks] == [0, 1, 0, 8]
    now = found.weeks[-1]
    assert (now.people, now.answered, now.refused, now.failed, now.cached) == (2, 5, 1, 2, 1)
    assert (now.relational, now.vectorial, now.graph) == (1, 6, 1)
    # Of 100, 200, 300, 400, 500 and 1000: between the third and the fourth; .75 on the way to the last.
    assert now.median_ms == pytest.approx(350)
    assert now.p95_ms == pytest.approx(875)
    assert (now.tokens_in, now.tokens_out, now.cost) == (40, 8, Decimal("0.25"))
    assert (found.total.questions, found.total.cost) == (9, Decimal("0.75"))
    assert found.total.vectorial == 7
    assert found.weeks[0].median_ms is None


def test_a_week_begins_on_monday_in_the_instance_s_time_zone(
    team: Workspace, owner: User, settings: Any
) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    today = timezone.localdate()
    monday = today - timedelta(days=today.weekday())
    made = asked(team, owner)
    # An hour into Monday over there, which is Sunday afternoon by UTC.
    begin = datetime.combine(monday, datetime.min.time(), UTC) - timedelta(hours=8)
    Trace.objects.filter(pk=made.pk).update(started_at=begin)
    found = usage_of(workspace=team, user=owner, weeks=4)
    assert found.weeks[-1].monday == monday
    assert [week.questions for week in found.weeks] == [0, 0, 0, 1]


def test_auditors_of_this_workspace_see_it_and_nobody_else(
    client: Client, team: Workspace, owner: User
) -> None:
    asked(team, owner)
    paths = [reverse("usage"), reverse("usage-csv")]
    for person in (owner, make_member(team, Role.AUDITOR)):
        client.force_login(person)
        assert [client.get(path).status_code for path in paths] == [200, 200]
        assert f'href="{paths[0]}"' in client.get(reverse("chat")).content.decode()
    for role in (Role.READER, Role.CONTRIBUTOR, Role.CURATOR):
        person = make_member(team, role)
        client.force_login(person)
        assert [client.get(path).status_code for path in paths] == [403, 403]
        assert f'href="{paths[0]}"' not in client.get(reverse("chat")).content.decode()
        with pytest.raises(PermissionDenied):
            usage_of(workspace=team, user=person, weeks=4)
    stranger = make_workspace().memberships.get().user
    client.force_login(stranger)
    assert client.get(paths[0]).context["usage"].total.questions == 0
    with pytest.raises(PermissionDenied):
        usage_of(workspace=team, user=stranger, weeks=4)
    client.logout()
    assert [client.get(path).status_code for path in paths] == [302, 302]


def test_the_page_shows_charts_with_their_figures_in_a_table(
    client: Client, team: Workspace, owner: User
) -> None:
    for ago in range(3):
        asked(team, owner, ago=ago, cost=Decimal("0.1"), cached=ago == 1)
    client.force_login(owner)
    reply = client.get(reverse("usage"), {"weeks": "4"})
    page = reply.content.decode()
    keys = [chart.key for chart in reply.context["charts"]]
    assert keys == ["questions", "routes", "latency", "refusals", "cache", "cost"]
    assert page.count('<svg viewBox="0 0 320 96"') == 6
    assert page.count("<tr>") == 1 + 4 + 1
    assert " style=" not in page
    assert "33.3 %" in page


def test_no_cost_is_shown_where_none_was_set(client: Client, team: Workspace, owner: User) -> None:
    asked(team, owner)
    client.force_login(owner)
    assert "cost" not in [chart.key for chart in client.get(reverse("usage")).context["charts"]]


def test_a_workspace_without_questions_says_so(
    client: Client, team: Workspace, owner: User
) -> None:
    client.force_login(owner)
    assert "No question was asked in these weeks" in client.get(reverse("usage")).content.decode()


@pytest.mark.parametrize("weeks", ["", "0", "-3", "9999", "x", "%00", "١٢"])
def test_an_odd_number_of_weeks_shows_twelve(
    client: Client, team: Workspace, owner: User, weeks: str
) -> None:
    client.force_login(owner)
    assert len(client.get(reverse("usage"), {"weeks": weeks}).context["usage"].weeks) == 12


def test_the_csv_holds_the_same_figures(client: Client, team: Workspace, owner: User) -> None:
    asked(team, owner, duration_ms=150.25, cost=Decimal("0.125"))
    client.force_login(owner)
    reply = client.get(reverse("usage-csv"), {"weeks": "4"})
    assert reply["Content-Type"].startswith("text/csv")
    assert "attachment" in reply["Content-Disposition"]
    rows = list(csv.DictReader(reply.content.decode().splitlines()))
    assert len(rows) == 4
    assert rows[0]["questions"] == "0"
    assert rows[0]["median_ms"] == rows[0]["cost"] == ""
    last = rows[-1]
    assert (last["questions"], last["vectorial"], last["median_ms"]) == ("1", "1", "150.2")
    assert Decimal(last["cost"]) == Decimal("0.125")


def test_three_statements_read_it_whatever_there_is(
    team: Workspace, owner: User, django_assert_num_queries: Any
) -> None:
    for number in (1, 40):
        for ago in range(number):
            asked(team, owner, ago=ago % 12)
        # Three of the traces, one of the right, one of what is kept.
        with django_assert_num_queries(5):
            usage_of(workspace=team, user=owner, weeks=12)


def test_what_took_long_is_given_again_to_those_alone_who_may_see_it(
    team: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(usage, "SLOW_SECONDS", 0)
    asked(team, owner)
    first = usage_of(workspace=team, user=owner, weeks=4)
    asked(team, owner)
    with django_assert_num_queries(2):
        assert usage_of(workspace=team, user=owner, weeks=4) == first
    assert usage_of(workspace=team, user=owner, weeks=12).total.questions == 2
    for person in (make_member(team), make_user()):
        with pytest.raises(PermissionDenied):
            usage_of(workspace=team, user=person, weeks=4)
    other = make_workspace()
    mine = usage_of(workspace=other, user=other.memberships.get().user, weeks=4)
    assert mine.total.questions == 0


def test_what_was_counted_quickly_is_counted_anew(team: Workspace, owner: User) -> None:
    asked(team, owner)
    assert usage_of(workspace=team, user=owner, weeks=4).total.questions == 1
    asked(team, owner)
    assert usage_of(workspace=team, user=owner, weeks=4).total.questions == 2
