from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from django.db import connection

from corpus.models import DataTable, Document, DocumentVersion, VersionState
from corpus.table_store import table_create, table_drop
from corpus.tabular.grid import table_from_grid
from retrieval.sql.catalogue import catalogue_read
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import Workspace

pytestmark = pytest.mark.django_db

ROWS = [["região", "valor"], ["Norte", "1.234,56"], ["Sul", "7,5"], ["Norte", "120"], ["Sul", ""]]


def stored(workspace: Workspace, rows: list[list[str]], title: str = "vendas") -> DataTable:
    name = f"{title} {Document.objects.count()}.csv"
    document = Document.objects.create(workspace=workspace, name=name)
    version = DocumentVersion.objects.create(
        document=document, sha256="0" * 64, size=1, kind="csv", state=VersionState.READY
    )
    document.current = version
    document.save(update_fields=["current"])
    parsed, _ = table_from_grid(rows, title, {})
    assert parsed is not None
    return table_create(workspace=workspace, version=version, parsed=parsed)


def ask(table: DataTable, statement: str, name: str = "") -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        address = f'"{table.workspace.schema_name}"."{name or table.sql_name}"'
        cursor.execute(statement.format(address))
        return list(cursor.fetchall())


def names_of(workspace: Workspace) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s",
            [workspace.schema_name],
        )
        return {name for (name,) in cursor.fetchall()}


def test_B3_the_database_sums_as_a_person_does_and_keeps_the_raw_cells() -> None:
    workspace = make_workspace(make_user())
    table = stored(workspace, ROWS)

    assert ask(table, "SELECT sum(valor) FROM {}") == [(Decimal("1362.06"),)]
    assert ask(table, "SELECT * FROM {} ORDER BY row_number", table.raw_name) == [
        (1, "Norte", "1.234,56"),
        (2, "Sul", "7,5"),
        (3, "Norte", "120"),
        (4, "Sul", ""),
    ]


def test_raw_cells_are_no_table_that_questions_can_ask() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    table = stored(workspace, ROWS)

    assert [found.sql_name for found in catalogue_read(workspace=workspace, user=owner)] == [
        "vendas"
    ]
    assert table.raw_name not in {"", "vendas"}


def test_both_tables_go_with_the_document() -> None:
    workspace = make_workspace(make_user())
    table = stored(workspace, ROWS)
    assert len(names_of(workspace)) == 2
    table_drop(table=table)

    assert names_of(workspace) == set()
    assert not DataTable.objects.exists()


def test_a_table_without_conversions_has_no_second_one() -> None:
    workspace = make_workspace(make_user())

    assert stored(workspace, [["a", "b"], ["x", "1"]]).raw_name == ""
    assert names_of(workspace) == {"vendas"}


def test_tables_of_one_title_get_names_of_their_own() -> None:
    workspace = make_workspace(make_user())
    names = {stored(workspace, ROWS).sql_name, stored(workspace, ROWS).sql_name}

    assert len(names) == 2
    assert len(names_of(workspace)) == 4


def test_columns_are_described_by_kind_examples_and_values_in_order_of_the_file() -> None:
    workspace = make_workspace(make_user())
    rows = [["nome", "n"], *([f"v{number}", str(number % 7)] for number in range(600))]
    name, count = stored(workspace, rows).columns.all()

    assert (name.kind, name.distinct, len(name.values)) == ("text", 600, 500)
    assert (name.values[:2], name.examples[:2]) == (["v0", "v1"], ["v0", "v1"])
    assert (count.kind, count.distinct, count.values, count.examples[:2]) == (
        "integer",
        7,
        [],
        ["0", "1"],
    )


def test_text_that_a_database_cannot_keep_is_cleaned() -> None:
    workspace = make_workspace(make_user())
    table = stored(workspace, [["a", "b"], ["x\x00y", "um"], ["\ud800z", "dois"]])

    assert [row[0] for row in ask(table, "SELECT a FROM {}")] == ["xy", "?z"]


def test_B9_a_file_of_102_records_is_102_rows() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    text = "registo;valor\n" + "".join(f"R{number};{number},5\n" for number in range(102))
    document = ingest(workspace, owner, "registos.csv", text)
    table = DataTable.objects.get(document=document)

    assert (table.rows, ask(table, "SELECT count(*) FROM {}")) == (102, [(102,)])
