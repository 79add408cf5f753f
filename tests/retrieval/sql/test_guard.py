from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from retrieval.sql.catalogue import Column, Table
from retrieval.sql.guard import SqlRefused, guarded

TABLES = (
    Table("ws_a", "orders", "orders", 10, columns=(
        Column("city", "City", "text", values=("Oslo",)), Column("amount", "Amount", "number"),
        Column("day", "Day", "date"), Column("paid", "Paid", "boolean"),
    )),
    Table("ws_a", "cities", "cities", 3, columns=(
        Column("name", "Name", "text"), Column("people", "People", "integer"),
    )),
)  # fmt: skip

HOSTILE = [
    "",
    ";",
    "hello",
    "SELECT",
    "DROP TABLE orders",
    "DELETE FROM orders",
    "UPDATE orders SET amount = 0",
    "INSERT INTO orders (city) VALUES ('x')",
    "TRUNCATE orders",
    "CREATE TABLE t AS SELECT city FROM orders",
    "COPY orders TO '/tmp/x'",
    "SET ROLE postgres",
    "RESET ROLE",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "SELECT city FROM orders; DROP TABLE orders",
    "SELECT city FROM orders; SELECT name FROM cities",
    "SELECT * FROM orders",
    "SELECT orders.* FROM orders",
    "SELECT orders FROM orders",
    "SELECT o FROM orders AS o",
    "SELECT COUNT(o) FROM orders AS o",
    "SELECT COUNT(*) FROM orders CROSS JOIN cities",
    "SELECT COUNT(*) FROM orders, cities",
    "SELECT COUNT(*) FROM orders JOIN cities ON TRUE",
    "SELECT COUNT(*) FROM orders JOIN cities ON 1 = 1",
    "SELECT COUNT(*) FROM orders o JOIN cities c ON c.name = o.city OR TRUE",
    "SELECT COUNT(*) FROM orders o JOIN cities c ON c.name = c.name",
    "SELECT 1",
    "SELECT 'Oslo' FROM orders",
    "SELECT 42 AS total FROM orders",
    "SELECT city, 7 AS n FROM orders",
    "SELECT usename FROM pg_user",
    "SELECT rolname FROM pg_catalog.pg_roles",
    "SELECT table_name FROM information_schema.tables",
    "SELECT city FROM public.orders",
    "SELECT city FROM ws_b.orders",
    "SELECT city FROM other.ws_a.orders",
    "SELECT city FROM secrets",
    "SELECT password FROM orders",
    "SELECT cities.name FROM orders",
    "SELECT pg_sleep(10) FROM orders",
    "SELECT pg_read_file('/etc/passwd') FROM orders",
    "SELECT current_setting('x') FROM orders",
    "SELECT CURRENT_USER, city FROM orders",
    "SELECT version() FROM orders",
    "SELECT set_config('role', 'postgres', true), city FROM orders",
    "SELECT lo_import('/etc/passwd') FROM orders",
    "SELECT query_to_xml('SELECT 1', true, true, '') FROM orders",
    "SELECT dblink('host=x', 'SELECT 1') FROM orders",
    "SELECT g FROM generate_series(1, 1000000000) AS g",
    "SELECT repeat(city, 1000000000) FROM orders",
    "SELECT string_agg(city, ',') FROM orders",
    "SELECT city INTO t FROM orders",
    "SELECT city FROM orders FOR UPDATE",
    "WITH x AS (SELECT city FROM orders) SELECT city FROM x",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
    "WITH d AS (DELETE FROM orders RETURNING city) SELECT city FROM d",
    "SELECT city FROM orders UNION SELECT name FROM cities",
    "SELECT city FROM orders EXCEPT SELECT name FROM cities",
    "SELECT city, ROW_NUMBER() OVER (ORDER BY amount) FROM orders",
    "SELECT city FROM orders LIMIT (SELECT COUNT(*) FROM cities)",
    "SELECT city FROM orders LIMIT 5 + 5",
    "SELECT city::regclass FROM orders",
    "SELECT CAST(city AS xml) FROM orders",
    "SELECT city FROM orders WHERE city ~ '(a+)+$'",
    "SELECT city FROM orders TABLESAMPLE SYSTEM (10)",
    "SELECT o.city FROM orders o, LATERAL (SELECT name FROM cities) c",
    "SELECT city FROM orders WHERE EXISTS (SELECT 1 FROM pg_roles)",
    "SELECT (SELECT MAX(setting) FROM pg_settings) FROM orders",
    "VALUES (1)",
    "TABLE orders",
    "DO $$ BEGIN END $$",
    "CALL f()",
    "LISTEN x",
    "SELECT city FROM orders WHERE city = 'a\x00b'",
    "SELECT city FROM " + ", ".join(["orders"] * 3000),
]


@pytest.mark.parametrize("statement", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_statement_is_refused_with_a_reason(statement: str) -> None:
    with pytest.raises(SqlRefused) as refused:
        guarded(statement, TABLES)

    assert str(refused.value)


HARMLESS = [
    "SELECT COUNT(*) FROM orders",
    "SELECT city, SUM(amount) AS total FROM orders GROUP BY city ORDER BY total DESC LIMIT 3",
    "SELECT AVG(amount) FROM ws_a.orders WHERE day >= DATE '2024-01-01' AND NOT paid",
    "SELECT COUNT(DISTINCT city) FROM orders WHERE city ILIKE 'o%'",
    "SELECT c.people, SUM(o.amount) FROM orders o JOIN cities c ON c.name = o.city GROUP BY c.people",
    "SELECT EXTRACT(MONTH FROM day) AS m, SUM(amount) FROM orders GROUP BY EXTRACT(MONTH FROM day)",
    "SELECT CAST(DATE_TRUNC('month', day) AS DATE), COUNT(*) FROM orders"
    " GROUP BY CAST(DATE_TRUNC('month', day) AS DATE)",
    "SELECT city FROM orders WHERE amount > (SELECT AVG(amount) FROM orders)",
    "SELECT city, amount FROM orders ORDER BY amount DESC FETCH FIRST 1 ROWS WITH TIES",
    "SELECT SUM(CASE WHEN paid THEN amount ELSE 0 END) / SUM(amount) FROM orders",
]


@pytest.mark.parametrize("statement", HARMLESS)
def test_a_plain_question_of_known_columns_may_run(statement: str) -> None:
    tree = sqlglot.parse_one(guarded(statement, TABLES), read="postgres")

    assert {table.db for table in tree.find_all(exp.Table)} == {"ws_a"}


def test_rows_are_limited_whatever_the_statement_says() -> None:
    assert guarded("SELECT city FROM orders", TABLES).endswith("LIMIT 1000")
    assert guarded("SELECT city FROM orders LIMIT 999999", TABLES).endswith("LIMIT 1000")
    assert guarded("SELECT city FROM orders LIMIT 5", TABLES).endswith("LIMIT 5")
    assert "999999" not in guarded("SELECT city FROM orders FETCH FIRST 999999 ROWS ONLY", TABLES)


def test_comments_do_not_reach_the_database() -> None:
    statement = "SELECT city /* ; DROP TABLE orders */ FROM orders -- DELETE"

    assert "DROP" not in guarded(statement, TABLES)
    assert "DELETE" not in guarded(statement, TABLES)


def test_a_name_with_a_quote_in_it_stays_a_name() -> None:
    odd = Table("ws_a", 'or"ders', "odd", 1, columns=(Column("city", "City", "text"),))

    with pytest.raises(SqlRefused):
        guarded('SELECT city FROM "or""ders"; DROP TABLE x', [odd])
    assert guarded('SELECT city FROM "or""ders"', [odd]) == (
        'SELECT city FROM "ws_a"."or""ders" LIMIT 1000'
    )
