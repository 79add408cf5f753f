"""Databases of others, with a second database of the test's own server standing for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import psycopg
import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.urls import reverse
from psycopg import sql as pg

from corpus import source_connection, sources
from corpus.ingest import version_read
from corpus.models import Document
from corpus.source_connection import SourceFailed
from corpus.source_hosts import SourceRefused, address_of
from corpus.source_models import DataSource, SourceState
from corpus.source_query import QueryRefused, query_checked
from corpus.sources import (
    source_attach,
    source_detach,
    source_query,
    source_queue,
    source_read,
    source_tables,
)
from retrieval import sql
from teams.models import AuditEntry, Role
from tests.factories import make_member, make_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
OUTSIDE = "polyrag_outside_of_tests"
ROWS = """
CREATE SCHEMA shop;
CREATE TABLE shop.orders (id int, city text, day date, amount numeric(10, 2), paid boolean, photo bytea);
INSERT INTO shop.orders VALUES (1, 'Braga', '2025-01-02', 10.50, true, 'x'),
  (2, 'Faro', '2025-02-03', 4.25, false, NULL), (3, 'Braga', '2025-02-04', 100.00, NULL, NULL);
CREATE VIEW shop.late AS SELECT * FROM shop.orders WHERE day > '2025-01-31';
"""


@pytest.fixture(scope="module")
def outside(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """Where a database of its own is reached, filled with one table and one view."""
    held = connection.settings_dict
    where = {"host": held["HOST"], "port": int(held["PORT"] or 5432), "user": held["USER"]}
    name = f"{OUTSIDE}_{held['NAME'][-20:]}".replace("-", "_")
    password = held["PASSWORD"] or None
    with psycopg.connect(
        **where, password=password, dbname=held["NAME"], autocommit=True
    ) as opened:
        opened.execute(pg.SQL("DROP DATABASE IF EXISTS {}").format(pg.Identifier(name)))
        opened.execute(pg.SQL("CREATE DATABASE {}").format(pg.Identifier(name)))
    with psycopg.connect(**where, password=password, dbname=name) as opened:
        opened.execute(ROWS)
    yield {
        "name": "shop",
        "host": held["HOST"] or "localhost",
        "port": where["port"],
        "database": name,
        "username": held["USER"],
        "encrypted": False,
    }
    with psycopg.connect(
        **where, password=password, dbname=held["NAME"], autocommit=True
    ) as opened:
        opened.execute(pg.SQL("DROP DATABASE {} WITH (FORCE)").format(pg.Identifier(name)))


@pytest.fixture
def team() -> Workspace:
    return make_workspace()


@pytest.fixture
def curator(team: Workspace) -> User:
    return make_member(team, Role.CURATOR)


def attach(team: Workspace, user: User, fields: dict[str, Any]) -> DataSource:
    password = connection.settings_dict["PASSWORD"] or "a secret word"
    return source_attach(workspace=team, user=user, fields=fields, password=password)


@pytest.fixture
def source(settings: Any, team: Workspace, curator: User, outside: dict[str, Any]) -> DataSource:
    settings.SOURCE_HOSTS = [outside["host"]]
    return attach(team, curator, outside)


def test_a_password_is_sealed_at_rest_and_the_attaching_is_audited(
    source: DataSource, curator: User
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(s)::text FROM corpus_datasource s")
        stored = str(cursor.fetchone())
    assert "a secret word" not in stored and "gAAAA" in stored
    entry = AuditEntry.objects.get(action="source_attached")
    assert (entry.actor_id, entry.target) == (curator.pk, "shop")
    assert "secret" not in str(entry.details)


def test_a_password_sealed_under_a_lost_key_has_to_be_entered_again(
    source: DataSource, curator: User, settings: Any
) -> None:
    settings.SECRET_KEY = "another key"
    with pytest.raises(SourceFailed, match="entered again"):
        source_tables(source=source, user=curator)


def test_a_database_that_cannot_be_reached_is_not_kept(
    source: DataSource, team: Workspace, curator: User, outside: dict[str, Any]
) -> None:
    with pytest.raises(SourceFailed):
        attach(team, curator, {**outside, "name": "other", "database": "is_not_there"})
    assert DataSource.objects.count() == 1


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "::1", "0.0.0.0", "169.254.169.254", "127.1", "::ffff:127.0.0.1",
     "224.0.0.1", "/tmp", "@abstract", "10.0.0.1,127.0.0.1"],
)  # fmt: skip
def test_this_machine_and_reserved_addresses_are_refused(host: str) -> None:
    with pytest.raises(SourceRefused):
        address_of(host, 5432, "shop")


def test_a_name_that_leads_to_this_machine_is_refused_and_a_name_is_resolved_once() -> None:
    def resolved(*numbers: str) -> list[Any]:
        return [(2, 1, 6, "", (number, 5432)) for number in numbers]

    place = "corpus.source_hosts.socket.getaddrinfo"
    with (
        mock.patch(place, return_value=resolved("203.0.113.9", "127.0.0.1")),
        pytest.raises(SourceRefused),
    ):
        address_of("db.example.org", 5432, "shop")
    with mock.patch(place, return_value=resolved("203.0.113.9")):
        assert address_of("db.example.org", 5432, "shop") == "203.0.113.9"


def test_the_operator_can_allow_a_host(settings: Any) -> None:
    settings.SOURCE_HOSTS = ["localhost"]
    assert address_of("localhost", 5432, "shop") in {"127.0.0.1", "::1"}


def test_an_account_that_may_do_everything_is_refused(source: DataSource, curator: User) -> None:
    answer = mock.Mock()
    answer.fetchone.return_value = (True,)
    opened = mock.MagicMock()
    opened.__enter__.return_value.execute.return_value = answer
    with (
        mock.patch("corpus.source_connection.psycopg.connect", return_value=opened),
        pytest.raises(SourceRefused, match="may only read"),
    ):
        source_tables(source=source, user=curator)


def test_tables_and_views_are_listed(source: DataSource, curator: User) -> None:
    found = source_tables(source=source, user=curator)

    assert {table.name: table.columns for table in found} == {"shop.late": 6, "shop.orders": 6}


def copied(source: DataSource, user: User, tables: list[str]) -> str:
    with mock.patch.object(sources, "async_task"):
        source_queue(source=source, user=user, tables=tables)
    state = source_read(source.pk, user.pk)
    source.refresh_from_db()
    for document in Document.objects.in_workspace(source.workspace):
        for version in document.versions.filter(state="queued"):
            version_read(str(version.pk))
    return state


def test_a_copied_table_answers_questions_with_its_types(
    source: DataSource, team: Workspace, curator: User
) -> None:
    assert copied(source, curator, ["shop.orders"]) == SourceState.READY
    document = Document.objects.get(name="kb:shop.shop.orders.csv")
    table = document.tables.get()
    kinds = {column.sql_name: column.kind for column in table.columns.all()}
    found = sql.search(
        workspace=team, user=curator, text="What is the total amount in Braga?", language="en"
    )

    assert (kinds["day"], kinds["amount"], kinds["city"]) == ("date", "number", "text")
    assert found.table is not None, found.note
    assert float(found.table.rows[0][0]) == 110.5


def test_copying_again_changes_nothing_and_changed_rows_replace(
    source: DataSource, curator: User, outside: dict[str, Any]
) -> None:
    copied(source, curator, ["shop.orders"])
    document = Document.objects.get(name="kb:shop.shop.orders.csv")
    first = document.current_id
    copied(source, curator, ["shop.orders"])
    document.refresh_from_db()
    assert document.current_id == first
    assert Document.objects.count() == 1


def test_what_cannot_be_copied_is_named_and_the_rest_is_taken(
    source: DataSource, curator: User
) -> None:
    with mock.patch.object(sources, "async_task"):
        source_queue(source=source, user=curator, tables=["shop.late", "shop.orders"])
    DataSource.objects.update(tables=["shop.gone", "shop.late"])

    assert source_read(source.pk, curator.pk) == SourceState.FAILED
    source.refresh_from_db()
    assert "shop.gone" in source.note and "1 table was copied" in source.note
    assert Document.objects.filter(name="kb:shop.shop.late.csv").exists()


def test_costly_statements_and_large_ones_are_refused(
    source: DataSource, curator: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = "SELECT a.id FROM shop.orders a CROSS JOIN shop.orders b"
    monkeypatch.setattr(source_connection, "MOST_COST", 0.5)
    with pytest.raises(SourceFailed, match="cost too much"):
        source_query(source=source, user=curator, title="bomb", statement=bomb)
    monkeypatch.setattr(source_connection, "MOST_COST", 1e9)
    settings.UPLOAD_MAX_BYTES = 10
    with pytest.raises(SourceFailed, match="more than"):
        source_query(source=source, user=curator, title="large", statement=bomb)
    assert not Document.objects.exists()


def test_rows_are_cut_at_the_cap(
    source: DataSource, curator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_connection, "MOST_ROWS", 2)
    copied(source, curator, ["shop.orders"])
    assert Document.objects.get().tables.get().rows == 2


def test_the_rows_of_a_select_become_a_document(source: DataSource, curator: User) -> None:
    taken = source_query(
        source=source,
        user=curator,
        title="by-city",
        statement="SELECT city, SUM(amount) AS total FROM shop.orders GROUP BY city; -- done",
    )

    assert taken.document.name == "kb:shop.by-city.csv"
    with taken.version.file.open() as file:
        assert sorted(file.read().decode().splitlines()) == [
            "Braga,110.50",
            "Faro,4.25",
            "city,total",
        ]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE shop.orders",
        "DELETE FROM shop.orders RETURNING id",
        "SELECT 1; DROP TABLE shop.orders",
        "SELECT id INTO attack FROM shop.orders",
        "SELECT id FROM shop.orders FOR UPDATE",
        "WITH d AS (DELETE FROM shop.orders RETURNING id) SELECT id FROM d",
        "COPY shop.orders TO PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_sleep(100)",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT dblink('host=x', 'SELECT 1')",
        "SELECT 1) TO PROGRAM 'id' --",
        "SET ROLE postgres",
        "DO $$ BEGIN END $$",
        "",
        "SELECT 1 \x00",
    ],
)
def test_anything_but_one_plain_select_is_refused(statement: str) -> None:
    with pytest.raises(QueryRefused):
        query_checked(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO shop.orders (id) VALUES (9)",
        "DELETE FROM shop.orders",
        "CREATE TABLE shop.attack (a int)",
        "SELECT set_config('transaction_read_only', 'off', false)",
    ],
)
def test_the_connection_itself_refuses_to_write(source: DataSource, statement: str) -> None:
    with pytest.raises(SourceFailed), source_connection.connected(source) as opened:
        opened.execute(statement)
        opened.execute("DELETE FROM shop.orders")


def test_only_curators_reach_a_database(
    client: Client, source: DataSource, team: Workspace, curator: User
) -> None:
    people = [
        (make_member(team), 403),
        (make_member(make_workspace(), Role.CURATOR), 404),
        (curator, 200),
    ]
    page = reverse("corpus-source", args=[source.pk])
    for person, status in people:
        client.force_login(person)
        assert client.get(page).status_code == status
        assert (b"shop.orders" in client.get(page).content) == (status == 200)
    for name in ("corpus-source-copy", "corpus-source-select", "corpus-source-remove"):
        for person, status in people[:2]:
            client.force_login(person)
            assert client.post(reverse(name, args=[source.pk])).status_code == status
    client.logout()
    for name in ("corpus-source", "corpus-source-copy"):
        assert client.get(reverse(name, args=[source.pk])).status_code in {302, 405}
    assert DataSource.objects.count() == 1


def test_services_ask_for_the_right_themselves(
    source: DataSource, team: Workspace, outside: dict[str, Any]
) -> None:
    reader = make_member(team)
    for call in (
        lambda: attach(team, reader, {**outside, "name": "x"}),
        lambda: source_tables(source=source, user=reader),
        lambda: source_queue(source=source, user=reader, tables=["shop.orders"]),
        lambda: source_query(source=source, user=reader, title="x", statement="SELECT 1"),
        lambda: source_detach(source=source, user=reader),
    ):
        with pytest.raises(PermissionDenied):
            call()


def test_the_pages_attach_copy_select_and_detach(
    client: Client, settings: Any, curator: User, outside: dict[str, Any]
) -> None:
    settings.SOURCE_HOSTS = [outside["host"]]
    client.force_login(curator)
    listing = reverse("corpus-sources")
    posted = {k: v for k, v in outside.items() if k != "encrypted"} | {"password": "word"}
    refused = client.post(listing, {**posted, "database": "is_not_there"})
    assert refused.status_code == 400
    assert b"is_not_there" in refused.content
    assert b'value="word"' not in refused.content
    made = client.post(listing, posted)
    source = DataSource.objects.get()
    assert made.status_code == 302 and str(source.pk) in made["Location"]
    assert client.post(listing, posted).status_code == 400
    with mock.patch.object(sources, "async_task"):
        client.post(reverse("corpus-source-copy", args=[source.pk]), {"tables": ["shop.orders"]})
    source.refresh_from_db()
    assert (source.tables, source.state) == (["shop.orders"], SourceState.READING)
    client.post(reverse("corpus-source-copy", args=[source.pk]), {"tables": ["shop.invented"]})
    source.refresh_from_db()
    assert source.tables == ["shop.orders"]
    select = reverse("corpus-source-select", args=[source.pk])
    assert client.post(select, {"title": "x", "statement": "DROP TABLE x"}).status_code == 400
    done = client.post(select, {"title": "x", "statement": "SELECT city FROM shop.orders"})
    assert done.status_code == 302
    client.post(reverse("corpus-source-remove", args=[source.pk]))
    assert not DataSource.objects.exists()
    assert Document.objects.filter(name="kb:shop.x.csv").exists()
    assert AuditEntry.objects.filter(action="source_detached").exists()


def test_a_source_whose_curator_lost_the_right_copies_nothing(
    source: DataSource, team: Workspace, curator: User
) -> None:
    with mock.patch.object(sources, "async_task"):
        source_queue(source=source, user=curator, tables=["shop.orders"])
    team.memberships.filter(user=curator).update(role=Role.READER)
    with pytest.raises(PermissionDenied):
        source_read(source.pk, curator.pk)
    assert not Document.objects.exists()
