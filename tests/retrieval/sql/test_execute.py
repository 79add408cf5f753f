from __future__ import annotations

import re

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from corpus import reader
from retrieval.sql.execute import Rows, SqlFailed, rows_read
from teams.models import User, Workspace
from tests.factories import make_user, make_workspace
from tests.retrieval.sql import toys


@pytest.fixture
def workspace(db: None) -> Workspace:
    made = make_workspace()
    toys.store(made, "funcionarios.csv")
    return made


def read_in(workspace: Workspace, statement: str) -> Rows:
    """As the workspace's owner reads."""
    owner = User.objects.get(memberships__workspace=workspace)
    return rows_read(workspace=workspace, user=owner, statement=statement)


def scalar(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
    return row[0] if row else None


def test_rows_come_with_their_column_names(workspace: Workspace) -> None:
    read = read_in(workspace, "SELECT COUNT(*) AS result FROM funcionarios")

    assert read.columns == ("result",)
    assert read.rows == ((8,),)
    assert not read.truncated


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM funcionarios",
        "UPDATE funcionarios SET nome = 'x'",
        "DROP TABLE funcionarios",
        "CREATE TABLE more (a int)",
        "CREATE TEMP TABLE more (a int)",
        "SELECT nome FROM funcionarios FOR UPDATE",
        "SELECT password FROM public.teams_user",
        "SELECT id FROM public.corpus_document",
        "SELECT rolpassword FROM pg_authid",
        "SELECT nothing FROM funcionarios",
        "SELECT 1 / 0",
    ],
)
def test_the_role_writes_nothing_and_reads_no_other_schema(
    workspace: Workspace, statement: str
) -> None:
    with pytest.raises(SqlFailed) as failed:
        read_in(workspace, statement)

    assert str(failed.value)
    assert scalar(f'SELECT COUNT(*) FROM "{workspace.schema_name}".funcionarios') == 8


def test_the_users_table_of_this_project_is_the_one_that_was_tried(workspace: Workspace) -> None:
    assert User._meta.db_table == "teams_user"
    assert scalar("SELECT COUNT(*) FROM public.teams_user") == 1


def test_another_workspace_is_out_of_reach_even_for_its_own_owner(workspace: Workspace) -> None:
    other = make_workspace(make_user())
    toys.store(other, "vendas.csv")

    with pytest.raises(SqlFailed, match="permission denied"):
        read_in(workspace, f'SELECT valor FROM "{other.schema_name}".vendas')
    with pytest.raises(SqlFailed, match="does not exist"):
        read_in(workspace, "SELECT valor FROM vendas")


def test_a_slow_statement_is_stopped(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "TIMEOUT", "100ms")

    with pytest.raises(SqlFailed, match="timeout"):
        read_in(workspace, "SELECT 1 FROM pg_sleep(5)")


def test_more_rows_than_the_cap_are_cut_and_said(workspace: Workspace) -> None:
    read = read_in(workspace, "SELECT g FROM generate_series(1, 1500) AS g")

    assert len(read.rows) == 1000
    assert read.truncated


SETTINGS = (
    "SELECT current_user || ' ' || current_setting('transaction_read_only') || ' '"
    " || current_setting('statement_timeout') || ' ' || current_setting('search_path')"
)


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
@pytest.mark.parametrize("statement", ["SELECT 1", "SELECT 1 / 0"])
def test_the_settings_are_taken_off_again(statement: str) -> None:
    made = make_workspace()
    before = scalar(SETTINGS)
    for _ in range(2):
        try:
            read_in(made, statement)
        except SqlFailed:
            assert "0" in statement
    assert scalar(SETTINGS) == before
    make_user()


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_callers_transaction_goes_on_after_a_reading_and_after_a_failure() -> None:
    made = make_workspace()
    with transaction.atomic():
        first = make_user()
        read_in(made, "SELECT 1")
        with pytest.raises(SqlFailed):
            read_in(made, "SELECT 1 / 0")
        second = make_user()

    assert User.objects.filter(pk__in=[first.pk, second.pk]).count() == 2


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_reading_takes_four_statements_beside_its_transaction() -> None:
    made = make_workspace()
    owner = User.objects.get(memberships__workspace=made)
    with CaptureQueriesContext(connection) as seen:
        rows_read(workspace=made, user=owner, statement="SELECT 1")

    sent = [query["sql"] for query in seen if not re.match("BEGIN|ROLLBACK", query["sql"])]
    assert len(sent) == 4


def test_who_left_the_workspace_reads_nothing_whatever_the_statement(workspace: Workspace) -> None:
    stranger = make_user()

    with pytest.raises(SqlFailed, match="may not read"):
        rows_read(workspace=workspace, user=stranger, statement="SELECT nome FROM funcionarios")
