"""What a model's statement is held against beside the guard: the shape of its answer, its literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from engines.language import fold
from retrieval.sql import intent, lexicon, matching
from retrieval.sql.guard import SqlRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Column, Table

NAMING = frozenset({"who", "whom", "quem", "which", "quais"})
# These name something only where a noun that can be named stands behind them: 'que região', 'what city'.
PERHAPS = frozenset({"que", "qual", "what"})
MEANT = 0.8


def shape_checked(sql: str, text: str, tables: Sequence[Table]) -> None:
    """A count, total or average is not answered by listing rows, and 'which' not by a bare number.

    Raises SqlRefused with what is wrong.
    """
    words = [token.text for token in lexicon.tokens(text)]
    wanted = intent.read(words, [""] * len(words))
    query = sqlglot.parse_one(sql, read="postgres")
    if wanted.aggregates and not query.find(exp.AggFunc):
        raise SqlRefused(
            "the question asks for a count, total or average, and the statement has none"
        )
    if _names(words, tables) and not any(_bare(item) for item in _projections(query)):
        raise SqlRefused("the question asks which or who, and the statement names nothing")


def _projections(query: exp.Expr) -> list[exp.Expr]:
    return list(query.expressions) if isinstance(query, exp.Select) else []


def _bare(projection: exp.Expr) -> bool:
    """Whether a column of the answer is taken from the rows, and not computed over them."""
    return projection.find(exp.Column) is not None and projection.find(exp.AggFunc) is None


def _names(words: Sequence[str], tables: Sequence[Table]) -> bool:
    """Whether the question wants the name of something, rather than a figure."""
    for place, word in enumerate(words):
        if word not in NAMING | PERHAPS:
            continue
        behind = words[place + 1] if place + 1 < len(words) else ""
        if word in {"who", "whom", "quem"}:
            return True
        return bool(behind) and any(_text_header(behind, table) for table in tables)
    return False


def _text_header(word: str, table: Table) -> bool:
    return any(
        header.column.kind == "text" and len(header.words) == 1
        and lexicon.likeness(word, header.words[0]) >= MEANT
        for header in matching.index(table).headers
    )  # fmt: skip


def literals_matched(sql: str, tables: Sequence[Table]) -> str:
    """`sql` with each text that differs from a stored value in case and accents alone spelt as stored.

    Only where a column of that name holds the value in one spelling; `sql` must be readable.
    """
    query = sqlglot.parse_one(sql, read="postgres")
    held = _columns(tables)
    for node in query.find_all(exp.EQ, exp.NEQ, exp.In):
        column = next((side for side in (node.this, node.args.get("expression"))
                       if isinstance(side, exp.Column)), None)  # fmt: skip
        if column is None:
            continue
        for literal in _texts(node):
            stored = _stored(literal.name, held.get(column.name, ()))
            if stored is not None:
                literal.replace(exp.Literal.string(stored))
    return str(query.sql(dialect="postgres"))


def _texts(node: exp.Expr) -> list[exp.Literal]:
    sides = [node.this, node.args.get("expression"), *(node.args.get("expressions") or [])]
    return [side for side in sides if isinstance(side, exp.Literal) and side.is_string]


def _columns(tables: Sequence[Table]) -> dict[str, tuple[Column, ...]]:
    found: dict[str, tuple[Column, ...]] = {}
    for table in tables:
        for column in table.columns:
            found[column.sql_name] = (*found.get(column.sql_name, ()), column)
    return found


def _stored(text: str, columns: Sequence[Column]) -> str | None:
    values = {value for column in columns for value in column.values}
    if text in values:
        return None
    alike = [value for value in values if fold(value).strip() == fold(text).strip()]
    return alike[0] if len(alike) == 1 else None


def misses(sql: str, tables: Sequence[Table]) -> list[tuple[Column, str]]:
    """Texts that the statement compares a column with and that the column does not hold.

    Columns of which not all values are known are left out.
    """
    held = _columns(tables)
    found = []
    for node in sqlglot.parse_one(sql, read="postgres").find_all(exp.EQ, exp.In):
        if not isinstance(node.this, exp.Column):
            continue
        for column in held.get(node.this.name, ())[:1]:
            complete = column.kind == "text" and len(column.values) == column.distinct
            found += [
                (column, literal.name)
                for literal in _texts(node)
                if complete and literal.name not in column.values
            ]
    return found
