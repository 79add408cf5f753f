"""SQL written by a model, when the compiler abstains: guarded, run, and repaired at most once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from retrieval.sql import intent, lexicon
from retrieval.sql.execute import Rows, SqlFailed, rows_read
from retrieval.sql.guard import SqlRefused, guarded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.roles import Generator
    from retrieval.sql.catalogue import Table
    from teams.models import Workspace

MOST_TABLES = 8
MOST_EXAMPLES = 6
FENCE = re.compile(r"```(?:sql)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
SYSTEM = """You write one PostgreSQL SELECT that answers a question from the tables given.
Use only these tables and columns, exactly as spelled. No SELECT *, no WITH, no comments.
Compare texts with the stored values shown. Use COUNT, SUM or AVG when a number or total is asked.
If the tables cannot answer, write NONE. Reply with the statement only.

Example
Tables: orders(city text: 'Oslo', 'Bergen'; amount number; day date)
Question: How much was ordered from Oslo in May 2023?
SELECT SUM(amount) AS total FROM orders
WHERE city = 'Oslo' AND day >= DATE '2023-05-01' AND day < DATE '2023-06-01'

Example
Tables: orders(city text: 'Oslo', 'Bergen'; amount number; day date)
Question: Which city ordered most?
SELECT city, SUM(amount) AS total FROM orders GROUP BY city ORDER BY total DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Written:
    """A statement that a model wrote and that ran. `origin` is generated or repaired."""

    sql: str
    origin: str
    table: Table
    rows: Rows


def schema_text(tables: Sequence[Table]) -> str:
    """The tables as the model reads them: one line each, with example values of text columns."""
    lines = []
    for table in tables[:MOST_TABLES]:
        columns = []
        for column in table.columns:
            values = [value.replace("'", "''")[:40] for value in column.values[:MOST_EXAMPLES]]
            listed = ": " + ", ".join(f"'{value}'" for value in values) if values else ""
            columns.append(f"{column.sql_name} {column.kind}{listed}")
        lines.append(f"{table.sql_name}({'; '.join(columns)})")
    return "\n".join(lines)


def write(
    *, generator: Generator, workspace: Workspace, tables: Sequence[Table], text: str
) -> Written | None:
    """The model's statement and its rows; None when the model says that the tables cannot answer.

    Raises SqlRefused or SqlFailed when the repaired statement is no better, EngineError from the model.
    """
    asked = f"Tables:\n{schema_text(tables)}\nQuestion: {text}"
    reply = generator.complete(system=SYSTEM, user=asked, max_tokens=300).text
    for origin in ("generated", "repaired"):
        statement = statement_in(reply)
        if not statement or statement.upper().startswith("NONE"):
            return None
        try:
            return _run(workspace, tables, statement, text, origin)
        except (SqlRefused, SqlFailed) as error:
            if origin == "repaired":
                raise
            again = f"{asked}\n{statement}\nThis was refused: {error}\nWrite it again, corrected."
            reply = generator.complete(system=SYSTEM, user=again, max_tokens=300).text
    return None


def statement_in(reply: str) -> str:
    """The statement of a reply, out of its fence if it has one, without a closing semicolon."""
    fenced = FENCE.search(reply)
    return (fenced[1] if fenced else reply).strip().rstrip(";").strip()


def _run(
    workspace: Workspace, tables: Sequence[Table], statement: str, text: str, origin: str
) -> Written:
    sql = guarded(statement, tables)
    shape_checked(sql, text)
    first = next(node.name for node in sqlglot.parse_one(sql, read="postgres").find_all(exp.Table))
    table = next(table for table in tables if table.sql_name == first)
    return Written(sql, origin, table, rows_read(workspace=workspace, statement=sql))


def shape_checked(sql: str, text: str) -> None:
    """A question for a count, total or average is not answered by listing rows. Raises SqlRefused."""
    words = [token.text for token in lexicon.tokens(text)]
    wanted = intent.read(words, [""] * len(words))
    query = sqlglot.parse_one(sql, read="postgres")
    if wanted.aggregates and not query.find(exp.AggFunc):
        raise SqlRefused(
            "the question asks for a count, total or average, and the statement has none"
        )
