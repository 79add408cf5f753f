"""SQL written by a model, when the compiler abstains: guarded, run, and repaired at most once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from retrieval.sql.execute import Rows, SqlFailed, rows_read
from retrieval.sql.guard import SqlRefused, guarded
from retrieval.sql.prompt import SYSTEM
from retrieval.sql.shape import literals_matched, shape_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.roles import Generator
    from retrieval.sql.catalogue import Table
    from teams.models import User, Workspace

FENCE = re.compile(r"```(?:sql)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
MOST_TOKENS = 300


@dataclass(frozen=True, slots=True)
class Written:
    """A statement that a model wrote and that ran. `origin` is generated or repaired."""

    sql: str
    origin: str
    table: Table
    rows: Rows
    others: tuple[Table, ...] = ()


class NotWritten(Exception):
    """The repaired statement was no better. The message says why, `statement` is what was refused.

    `by_database` says that the guard had let it pass.
    """

    def __init__(self, why: str, statement: str, *, by_database: bool) -> None:
        super().__init__(why)
        self.statement, self.by_database = statement, by_database


def write(
    *,
    generator: Generator,
    workspace: Workspace,
    user: User,
    tables: Sequence[Table],
    text: str,
    asked: str,
) -> Written | None:
    """The model's statement and its rows; None when the model says that the tables cannot answer.

    `asked` is the prompt made of the question `text`. Raises NotWritten, and EngineError from the model.
    """
    reply = generator.complete(system=SYSTEM, user=asked, max_tokens=MOST_TOKENS).text
    for origin in ("generated", "repaired"):
        statement = statement_in(reply)
        if not statement or statement.upper().startswith("NONE"):
            return None
        try:
            return _run(workspace, user, tables, statement, text, origin)
        except (SqlRefused, SqlFailed) as error:
            if origin == "repaired":
                failed = isinstance(error, SqlFailed)
                raise NotWritten(str(error), statement, by_database=failed) from error
            again = f"{asked}\n{statement}\nThis was refused: {error}\nWrite it again, corrected."
            reply = generator.complete(system=SYSTEM, user=again, max_tokens=MOST_TOKENS).text
    return None


def statement_in(reply: str) -> str:
    """The statement of a reply, out of its fence if it has one, without a closing semicolon."""
    fenced = FENCE.search(reply)
    return (fenced[1] if fenced else reply).strip().rstrip(";").strip()


def _run(
    workspace: Workspace,
    user: User,
    tables: Sequence[Table],
    statement: str,
    text: str,
    origin: str,
) -> Written:
    sql = literals_matched(guarded(statement, tables), tables)
    shape_checked(sql, text, tables)
    tree = sqlglot.parse_one(sql, read="postgres")
    names = list(dict.fromkeys(node.name for node in tree.find_all(exp.Table)))
    first, *others = (table for name in names for table in tables if table.sql_name == name)
    rows = rows_read(workspace=workspace, user=user, statement=sql)
    return Written(sql, origin, first, rows, tuple(others))
