from __future__ import annotations

import datetime as dt
import sqlite3
from decimal import Decimal
from typing import TYPE_CHECKING

import duckdb
import pytest

from corpus.errors import UnreadableFile
from corpus.parsing import database, sniff
from corpus.parsing.database import parse
from retrieval import sql
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.values import ParsedTable

SHOP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, "City (PT)" TEXT, day TEXT, amount REAL, photo BLOB);
INSERT INTO orders VALUES (1, 'Braga', '2025-01-02', 10.5, x'00'), (2, 'Faro', '2025-02-03', 4, NULL),
  (3, 'Braga', NULL, NULL, NULL);
CREATE TABLE empty (a TEXT);
CREATE VIEW peek AS SELECT * FROM orders;
CREATE TABLE mixed (a, b, c);
INSERT INTO mixed VALUES (1, 'x', '2025-13-01'), ('two', 2, '2025-01-01'), (9223372036854775807, 3, NULL);
"""


def lite(folder: Path, script: str = SHOP) -> Path:
    path = folder / "shop.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(script)
    made.close()
    return path


def duck(folder: Path, script: str) -> Path:
    path = folder / "shop.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute(script)
    return path


def kinds(table: ParsedTable) -> dict[str, str]:
    return {column.sql_name: column.kind for column in table.columns}


def test_every_table_of_a_sqlite_file_is_read_with_its_types(tmp_path: Path) -> None:
    path = lite(tmp_path)
    found = parse(path, "shop.sqlite", {})
    mixed, orders = found.tables

    assert sniff(path, "anything.bin") == "sqlite"
    assert kinds(orders) == {"id": "integer", "city": "text", "day": "date", "amount": "number"}
    assert orders.rows[0] == (1, "Braga", dt.date(2025, 1, 2), 10.5)
    assert orders.rows[2] == (3, "Braga", None, None)
    assert set(kinds(mixed).values()) == {"text"}
    assert any("photo" in said for said in found.warnings)
    assert any("empty" in said for said in found.warnings)


def test_every_table_of_a_duckdb_file_is_read_with_its_types(tmp_path: Path) -> None:
    path = duck(
        tmp_path,
        "CREATE TABLE a (i INT, d DATE, n DECIMAL(10,2), b BOOLEAN, t TIMESTAMP, l INT[]);"
        "INSERT INTO a VALUES (1, '2024-01-02', 3.5, true, '2024-01-02 10:00:00', [1, 2]);"
        "CREATE SCHEMA s; CREATE TABLE s.b AS SELECT 'x' AS c;",
    )
    one, other = parse(path, "shop.duckdb", {}).tables

    assert sniff(path, "anything.bin") == "duckdb"
    assert list(kinds(one).values()) == ["integer", "date", "number", "boolean", "text", "text"]
    assert one.rows[0][:4] == (1, dt.date(2024, 1, 2), Decimal("3.50"), True)
    assert (other.title, other.rows[0]) == ("s.b", ("x",))


def test_a_view_is_never_run(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
    path = lite(tmp_path, f"{SHOP} CREATE VIEW bomb AS {endless};")
    (tmp_path / "secret.txt").write_text("secret")
    other = duck(
        tmp_path,
        f"CREATE TABLE a AS SELECT 1 AS n; CREATE VIEW v AS SELECT * FROM"
        f" read_text('{tmp_path / 'secret.txt'}')",
    )

    assert {table.title for table in parse(path, "x", {}).tables} == {"orders", "mixed"}
    assert {table.title for table in parse(other, "x", {}).tables} == {"a"}


def test_a_file_that_was_opened_can_neither_write_nor_reach_other_files(tmp_path: Path) -> None:
    path, other = lite(tmp_path), duck(tmp_path, "CREATE TABLE a AS SELECT 1 AS n")
    before = path.read_bytes()
    for statement in (
        "DELETE FROM orders",
        f"ATTACH '{tmp_path / 'new.db'}' AS x",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "SELECT randomblob(1000000000)",
    ):
        with pytest.raises(UnreadableFile), database._sqlite(path, "x") as opened:
            opened._connection.execute(statement).fetchall()  # type: ignore[attr-defined]
    for statement in (
        "INSERT INTO a VALUES (2)",
        "SET enable_external_access = true",
        "SELECT * FROM read_text('/etc/passwd')",
        f"COPY a TO '{tmp_path / 'out.csv'}'",
        "INSTALL httpfs",
    ):
        with pytest.raises(UnreadableFile), database._duckdb(other, "x") as opened:
            opened._connection.execute(statement)  # type: ignore[attr-defined]
    assert path.read_bytes() == before
    assert sorted(found.name for found in tmp_path.iterdir()) == ["shop.duckdb", "shop.sqlite"]


def test_a_reading_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "INSERT INTO a SELECT value FROM (WITH RECURSIVE r(value) AS (SELECT 1 UNION ALL"
    path = lite(
        tmp_path,
        f"CREATE TABLE a (n); {rows} SELECT value + 1 FROM r LIMIT 300000) SELECT value FROM r);",
    )
    monkeypatch.setattr(database, "SECONDS", -1)

    with pytest.raises(UnreadableFile, match="interrupted"):
        parse(path, "slow.sqlite", {})


@pytest.mark.parametrize("head", [b"SQLite format 3\x00", b"12345678DUCK"])
def test_a_damaged_file_says_that_it_cannot_be_read(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "broken"
    path.write_bytes(head + b"\x07" * 5000)

    with pytest.raises(UnreadableFile, match=r"broken\.db"):
        parse(path, "broken.db", {})


def test_a_database_without_rows_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no table with rows"):
        parse(lite(tmp_path, "CREATE TABLE a (b TEXT);"), "empty.sqlite", {})


def test_rows_above_the_limit_are_cut_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MOST_ROWS", 2)
    found = parse(lite(tmp_path), "shop.sqlite", {})

    assert [len(table.rows) for table in found.tables] == [2, 2]
    assert any("first 2 rows" in said for said in found.warnings)


@pytest.mark.django_db
def test_questions_are_answered_from_an_uploaded_database(tmp_path: Path) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    document = ingest(workspace, owner, "shop.sqlite", lite(tmp_path).read_bytes())
    found = sql.search(
        workspace=workspace, user=owner, text="What is the total amount in Braga?", language="en"
    )

    assert document.tables.count() == 2
    assert found.table is not None, found.note
    assert float(found.table.rows[0][0]) == 10.5
