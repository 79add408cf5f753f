from __future__ import annotations

import json
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command

from eval.route_report import Prices, built_in, simulated
from telemetry.models import Trace
from tests.factories import make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import Workspace

PRICED = ("--price-in", "1", "--price-out", "2")


def report(*args: str) -> dict[str, Any]:
    out = StringIO()
    call_command("route_report", *args, stdout=out)
    last = out.getvalue().splitlines()[-1]
    found: dict[str, Any] = json.loads(last.removeprefix("RESULT "))
    return found


def test_the_built_in_set_sends_no_sensitive_question_away_and_saves() -> None:
    found = simulated(
        built_in(), prices=Prices(Decimal(1), Decimal(2)), tokens_in=1000, tokens_out=100
    )
    assert found["leaked"] == 0
    assert found["false_alarms"] == 0
    assert found["questions"] == len(built_in())
    assert 0 < found["remote"] < found["questions"]
    each = Decimal("0.0012")
    assert Decimal(found["cost"]) == each * found["remote"]
    assert found["saving"] == round(1 - found["remote"] / found["questions"], 3)


@pytest.mark.django_db
def test_live_figures_come_from_the_runs_that_had_a_choice() -> None:
    owner = make_user()
    one, two = make_workspace(owner), make_workspace(owner)

    def run(workspace: Workspace, reason: str, remote: bool, cost: str) -> None:
        Trace.objects.create(
            workspace=workspace,
            user=owner,
            question="?",
            state="done",
            placement={"reason": reason} if reason else {},
            remote=remote,
            tokens_in=1_000_000,
            tokens_out=500_000,
            cost=Decimal(cost),
        )

    run(one, "hard", remote=True, cost="2")
    run(one, "easy", remote=False, cost="0")
    run(one, "", remote=False, cost="9")
    run(two, "sensitive_question", remote=False, cost="0")
    found = report(*PRICED, "--workspace", one.slug)
    assert (found["questions"], found["remote"], found["share_remote"]) == (2, 1, 0.5)
    assert Decimal(found["cost_per_question"]) == 1
    assert Decimal(found["api_only"]) == 4
    assert found["saving"] == 0.5
    everywhere = report(*PRICED)
    assert everywhere["reasons"] == {"hard": 1, "easy": 1, "sensitive_question": 1}


@pytest.mark.django_db
def test_what_is_missing_is_named(settings: Any) -> None:
    make_workspace()
    with pytest.raises(CommandError, match="--price-in"):
        report("--simulate")
    with pytest.raises(CommandError, match="nowhere"):
        report(*PRICED, "--workspace", "nowhere")
    assert report(*PRICED)["questions"] == 0
