"""Searches from a real streaming replica of the tests' server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection, connections, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test.utils import CaptureQueriesContext

from corpus import replica
from engines.registry import embedder
from retrieval.text_store import search
from teams.models import Membership
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.live import workspaces_drop
from tests.standby import standby, superuser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)
KILNS = "# Kilns\n\nThe kiln F-77 is inspected every 40 days by the maintenance team.\n"


@pytest.fixture(scope="module")
def stands(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    with django_db_blocker.unblock(), standby() as settings:
        yield settings


@pytest.fixture
def second(stands: dict[str, Any], settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The connection `replica`, as the settings would make it."""
    settings.READ_REPLICA = True
    connections[replica.REPLICA] = DatabaseWrapper(dict(stands), replica.REPLICA)
    monkeypatch.setattr(replica, "_aside_until", 0.0)
    # The copying of what this test writes may take longer here than a question should wait.
    monkeypatch.setattr(replica, "WAITS", (0.0, 0.05, 0.2, 1.0, 2.0))
    yield connections[replica.REPLICA]
    connections[replica.REPLICA].close()
    del connections[replica.REPLICA]
    workspaces_drop()


@pytest.fixture
def people() -> tuple[Workspace, User, User]:
    owner = make_user()
    workspace = make_workspace(owner)
    reader = make_member(workspace)
    ingest(workspace, owner, "kilns.md", KILNS)
    return workspace, owner, reader


def found(workspace: Workspace, user: User) -> list[str]:
    asked = "How often is the kiln F-77 inspected?"
    vector = embedder().queries([asked])[0]
    got = search(workspace=workspace, user=user, text=asked, vector=vector, language="en")
    return [hit.document for hit in got.hits]


def both(second: Any, workspace: Workspace, user: User) -> tuple[list[str], int, int]:
    """What is found, and how many statements of the search each server was asked, the two of the check
    left out."""
    with CaptureQueriesContext(connection) as here, CaptureQueriesContext(second) as there:
        names = found(workspace, user)
    asked = [query["sql"] for query in here if "lsn" not in query["sql"]]
    read = [query["sql"] for query in there if "lsn" not in query["sql"]]
    return names, len([s for s in asked if "corpus_chunk" in s]), len(read)


def test_a_search_reads_the_replica_alone_and_finds_what_was_just_written(
    second: Any, people: tuple[Workspace, User, User]
) -> None:
    workspace, owner, _ = people
    names, here, there = both(second, workspace, owner)
    assert names == ["kilns.md"]
    assert here == 0
    assert there > 2


def test_a_right_that_was_withdrawn_is_withdrawn_though_the_replica_lags(
    second: Any, stands: dict[str, Any], people: tuple[Workspace, User, User]
) -> None:
    workspace, owner, reader = people
    assert found(workspace, reader) == ["kilns.md"]
    with superuser(stands) as asked:
        asked.execute("SELECT pg_wal_replay_pause()")
        try:
            deadline = time.monotonic() + 10
            state = "SELECT pg_get_wal_replay_pause_state()"
            while (asked.execute(state).fetchone() or ("",))[0] != "paused":
                assert time.monotonic() < deadline
                time.sleep(0.05)
            Membership.objects.filter(workspace=workspace, user=reader).delete()
            names, _, there = both(second, workspace, reader)
            assert (names, there) == ([], 0)
            names, here, there = both(second, workspace, owner)
            assert names == ["kilns.md"]
            assert here > 0
            assert there == 0
        finally:
            asked.execute("SELECT pg_wal_replay_resume()")


def test_within_a_transaction_its_own_rows_are_found(
    second: Any, people: tuple[Workspace, User, User]
) -> None:
    workspace, owner, _ = people
    with transaction.atomic():
        ingest(workspace, owner, "more.md", KILNS.replace("40", "30"))
        assert "more.md" in found(workspace, owner)


def test_a_replica_that_is_away_or_none_costs_a_search_nothing_but_itself(
    second: Any, people: tuple[Workspace, User, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, owner, _ = people
    monkeypatch.setitem(second.settings_dict, "HOST", "/nowhere")
    assert found(workspace, owner) == ["kilns.md"]
    assert replica._aside_until > time.monotonic()
    monkeypatch.setattr(replica, "_aside_until", 0.0)
    # The primary itself is no replica: whether its rows are of this history cannot be told from there.
    for name in ("HOST", "PORT"):
        monkeypatch.setitem(second.settings_dict, name, connection.settings_dict[name])
    names, here, there = both(second, workspace, owner)
    assert (names, there) == (["kilns.md"], 0)
    assert here > 0


def test_what_fails_on_the_replica_in_mid_search_is_read_from_the_primary(
    second: Any, people: tuple[Workspace, User, User]
) -> None:
    aliases = []

    def work() -> str:
        aliases.append(replica.alias())
        if replica.alias() == replica.REPLICA:
            with replica.reader().cursor() as cursor:
                cursor.execute("SET statement_timeout = 1; SELECT pg_sleep(2)")
        return "read"

    assert replica.on_replica(work) == "read"
    assert aliases == ["replica", "default"]
