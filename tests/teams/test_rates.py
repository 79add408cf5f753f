from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection

from teams.models import RateCount
from teams.rates import rate_take
from tests.factories import make_user, make_workspace
from tests.live import workspaces_drop
from tests.retrieval.api.programs import Program, program_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client

pytestmark = pytest.mark.django_db


def clock(monkeypatch: pytest.MonkeyPatch, at: float) -> Callable[[float], None]:
    held = [at]
    monkeypatch.setattr("teams.rates.time.time", lambda: held[0])
    return lambda seconds: held.__setitem__(0, held[0] + seconds)


def test_a_key_is_let_through_up_to_its_limit_and_again_in_the_next_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later = clock(monkeypatch, 6_000_010.0)
    taken = [rate_take(key="a", limit=2) for _ in range(3)]
    assert taken[:2] == [0, 0] and 0 < taken[2] <= 61
    assert rate_take(key="b", limit=2) == 0
    later(taken[2])
    assert rate_take(key="a", limit=2) == 0


def test_no_limit_counts_nothing() -> None:
    assert rate_take(key="a", limit=0) == 0
    assert not RateCount.objects.exists()


def test_counts_of_minutes_long_past_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    later = clock(monkeypatch, 6_000_000.0)
    rate_take(key="old", limit=5)
    later(180)
    rate_take(key="new", limit=5)
    assert list(RateCount.objects.values_list("key", flat=True)) == ["new"]


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_processes_that_count_at_once_lose_none() -> None:
    def take(_number: int) -> int:
        try:
            return rate_take(key="shared", limit=10)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(take, range(40)))
    # A minute may end in between: then there are two windows.
    assert waits.count(0) in {10, 20}
    workspaces_drop()


def test_a_busy_token_waits_and_another_does_not(settings: Any) -> None:
    settings.RATE_TOKEN = 2
    owner = make_user()
    team = make_workspace(owner)
    busy, other = program_of(team, owner), program_of(team, owner)
    statuses = [busy.send("get", "/members").status_code for _ in range(5)]
    assert statuses.count(200) in {2, 4} and statuses[-1] in {200, 429}
    refused = next(
        reply
        for reply in (busy.send("get", "/members") for _ in range(4))
        if reply.status_code == 429
    )
    assert refused["Content-Type"] == "application/problem+json"
    assert 0 < int(refused["Retry-After"]) <= 61
    assert other.send("get", "/members").status_code == 200


def test_guessing_secrets_from_one_address_is_slowed(settings: Any) -> None:
    settings.RATE_ADDRESS = 3
    statuses = {Program(f"polyrag_{n}").send("get", "/members").status_code for n in range(9)}
    assert statuses == {401, 429}


def test_pages_are_not_counted(settings: Any, client: Client) -> None:
    settings.RATE_ADDRESS = 1
    owner = make_user()
    make_workspace(owner)
    client.force_login(owner)
    assert [client.get("/corpus/status.json").status_code for _ in range(3)] == [200] * 3
