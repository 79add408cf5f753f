"""What may run: one SELECT, over known tables, made of listed parts only. Everything else is refused.

The statement that runs is written anew from the tree that was checked, so that nothing the parser
skipped, such as a comment, reaches the database. The read-only role is the other wall (execute.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Table

ROW_CAP = 1_000
MOST_CHARACTERS = 8_000
MOST_TABLES = 10
MOST_NODES = 2_000

STRUCTURE: frozenset[type[exp.Expression]] = frozenset({
    exp.Select, exp.From, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset,
    exp.Fetch, exp.LimitOptions, exp.Distinct, exp.Join, exp.Table, exp.TableAlias, exp.Alias, exp.Column,
    exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Star, exp.Paren, exp.Tuple, exp.Subquery,
    exp.Var, exp.DataType, exp.DataTypeParam,
})  # fmt: skip
OPERATORS: frozenset[type[exp.Expression]] = frozenset({
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Is,
    exp.Like, exp.ILike, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Case, exp.If, exp.Exists,
})  # fmt: skip
FUNCTIONS: frozenset[type[exp.Expression]] = frozenset({
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Round, exp.Abs, exp.Ceil, exp.Floor, exp.Coalesce,
    exp.Nullif, exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Extract, exp.TimestampTrunc, exp.Cast,
    exp.Filter, exp.Greatest, exp.Least,
})  # fmt: skip
ALLOWED = STRUCTURE | OPERATORS | FUNCTIONS
CAST_TYPES = frozenset({
    exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.DECIMAL, exp.DataType.Type.DOUBLE,
    exp.DataType.Type.FLOAT, exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR, exp.DataType.Type.DATE,
    exp.DataType.Type.BOOLEAN,
})  # fmt: skip
SQL_TYPES = {
    "integer": "bigint",
    "number": "double",
    "date": "date",
    "boolean": "boolean",
    "text": "text",
}

EXTRAS = frozenset({"into", "locks", "with", "with_", "laterals", "windows", "sample", "hint"})


class SqlRefused(Exception):
    """The statement may not run. The message says why, in words for the reader."""


def guarded(sql: str, tables: Sequence[Table]) -> str:
    """The statement that may run for `sql`, its tables with their schema and its rows limited.

    `tables` are those the reader may see. Raises SqlRefused with the reason.
    """
    query = _parsed(sql)
    _parts_allowed(query)
    _tables_known(query, tables)
    _shape_allowed(query)
    _columns_resolved(query, tables)
    _limit(query)
    schemas = {table.sql_name: table.schema for table in tables}
    for node in query.find_all(exp.Table):
        node.set("this", exp.to_identifier(node.name, quoted=True))
        node.set("db", exp.to_identifier(schemas[node.name], quoted=True))
    return str(query.sql(dialect="postgres", comments=False))


def _parsed(sql: str) -> exp.Select:
    if "\x00" in sql or len(sql) > MOST_CHARACTERS:
        raise SqlRefused("the statement is too long or holds a NUL character")
    try:
        found = [tree for tree in sqlglot.parse(sql, read="postgres") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise SqlRefused("it is not a statement that can be read") from error
    if len(found) != 1:
        raise SqlRefused(f"exactly one statement may run, not {len(found)}")
    if type(found[0]) is not exp.Select:
        raise SqlRefused(f"only a SELECT may run, not {found[0].key.upper()}")
    return found[0]


def _parts_allowed(query: exp.Select) -> None:
    """Every node is of a listed type: locks, INTO, WITH, windows, set operations, unknown functions
    and whatever the next PostgreSQL brings are refused without being named."""
    for count, node in enumerate(query.walk(), start=1):
        if count > MOST_NODES:
            raise SqlRefused("the statement is too large")
        if type(node) not in ALLOWED:
            name = node.name if isinstance(node, exp.Anonymous) else node.key
            raise SqlRefused(f"{name.upper()} is not allowed")
        if isinstance(node, exp.Select):
            extra = [
                key for key, value in node.args.items()
                if value and key in EXTRAS
            ]  # fmt: skip
            if extra:
                raise SqlRefused(f"{extra[0].strip('_').upper()} is not allowed")
        if isinstance(node, exp.Cast) and node.to.this not in CAST_TYPES:
            raise SqlRefused(f"a cast to {node.to.sql()} is not allowed")


def _tables_known(query: exp.Select, tables: Sequence[Table]) -> None:
    known = {table.sql_name: table.schema for table in tables}
    found = list(query.find_all(exp.Table))
    if not found:
        raise SqlRefused("it reads no table, so its answer would be its own constants")
    if len(found) > MOST_TABLES:
        raise SqlRefused(f"it reads more than {MOST_TABLES} tables")
    for node in found:
        if not isinstance(node.this, exp.Identifier):
            raise SqlRefused("only tables may be read, not functions")
        if node.name not in known or node.catalog or node.db not in {"", known[node.name]}:
            raise SqlRefused(f"there is no table {node.sql()} that may be read here")
    for join in query.find_all(exp.Join):
        if not (join.args.get("on") or join.args.get("using")):
            raise SqlRefused("tables may only be joined on a condition")
        if isinstance(join.args.get("on"), (exp.Boolean, exp.Literal)):
            raise SqlRefused("tables may only be joined on columns")


def _shape_allowed(query: exp.Select) -> None:
    for star in query.find_all(exp.Star):
        if not isinstance(star.parent, exp.Count):
            raise SqlRefused("SELECT * is not allowed: name the columns")
    for select in query.find_all(exp.Select):
        if not select.args.get("from_") and not select.args.get("from"):
            raise SqlRefused("a SELECT without FROM would answer from its own constants")
        inside_exists = isinstance(select.parent, exp.Exists)
        for projection in select.expressions:
            if not inside_exists and not projection.find(exp.Column, exp.Count):
                raise SqlRefused("a column of the answer would be a constant")


def _columns_resolved(query: exp.Select, tables: Sequence[Table]) -> None:
    schema: dict[str, object] = {
        table.sql_name: {column.sql_name: SQL_TYPES[column.kind] for column in table.columns}
        for table in tables
    }
    _no_whole_rows(query, tables)
    bare = query.copy()
    for node in bare.find_all(exp.Table):
        node.set("db", None)
    try:
        qualify(bare, schema=schema, dialect="postgres", validate_qualify_columns=True)
    except SqlglotError as error:
        raise SqlRefused(f"a name in it does not exist: {error}") from error
    for join in bare.find_all(exp.Join):
        if not _joins_columns(join.args.get("on")):
            raise SqlRefused("tables may only be joined where a column of each is equal")


def _no_whole_rows(query: exp.Select, tables: Sequence[Table]) -> None:
    """PostgreSQL reads the name of a table as its whole row where a value is expected."""
    sources = {node.alias_or_name for node in query.find_all(exp.Table, exp.Subquery)}
    columns = {column.sql_name for table in tables for column in table.columns}
    for column in query.find_all(exp.Column):
        if not column.table and column.name in sources and column.name not in columns:
            raise SqlRefused("a whole row may not stand for a value: name the columns")


def _joins_columns(condition: exp.Expr | None) -> bool:
    """Whether an equality of two tables' columns must hold: alone, or joined to others by AND."""
    if isinstance(condition, exp.Paren):
        return _joins_columns(condition.this)
    if isinstance(condition, exp.And):
        return _joins_columns(condition.left) or _joins_columns(condition.right)
    if not isinstance(condition, exp.EQ):
        return False
    one, other = condition.left, condition.right
    if not isinstance(one, exp.Column) or not isinstance(other, exp.Column):
        return False
    return bool(one.table != other.table)


def _limit(query: exp.Select) -> None:
    """At most ROW_CAP rows. A limit must be a plain number."""
    for select in query.find_all(exp.Select):
        for node in (select.args.get("limit"), select.args.get("offset")):
            if node is None:
                continue
            said = node.args.get("count") if isinstance(node, exp.Fetch) else node.expression
            if not isinstance(said, exp.Literal) or not said.name.isdigit():
                raise SqlRefused("a limit must be a plain number")
    node = query.args.get("limit")
    if node is None:
        query.limit(ROW_CAP, copy=False)
    elif isinstance(node, exp.Limit) and int(node.expression.name) > ROW_CAP:
        node.set("expression", exp.Literal.number(ROW_CAP))
    elif isinstance(node, exp.Fetch) and int(node.args["count"].name) > ROW_CAP:
        node.set("count", exp.Literal.number(ROW_CAP))
