"""What a catalogue is told by the stored rows: which columns refer to which keys, and long lists of values.

Both are asked of the database once for a version of a table and kept by this process. What is kept is told
only to people who may see the tables: it is looked up for tables that the catalogue holds already.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db import DatabaseError
from psycopg import sql

from corpus.reader import reader_cursor
from retrieval.sql.joined.index import plain
from retrieval.sql.joined.keys import MOST_TABLES, Link, best, candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.sql.catalogue import Column, Table
    from teams.models import User, Workspace

logger = logging.getLogger(__name__)
# How much of a column's values must be found among a key's: files are kept by hand.
HELD = 0.8
SAMPLE = 10_000
MOST_VALUES = 200_000
MOST_FACTS = 20_000
MOST_COLUMNS = 16

Fact = tuple[str, str, str, str, str, str, str]


class Facts:
    """Which links the values bear out, by the versions of both tables; the oldest go first."""

    def __init__(self) -> None:
        self._held: OrderedDict[Fact, bool] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, fact: Fact) -> bool | None:
        with self._lock:
            return self._held.get(fact)

    def keep(self, fact: Fact, held: bool) -> None:
        with self._lock:
            self._held[fact] = held
            while len(self._held) > MOST_FACTS:
                self._held.popitem(last=False)


FACTS = Facts()


def related(workspace: Workspace, user: User, tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables with the links between them, and with a way to look up values beyond those listed."""
    found = links(workspace, user, tables) if 1 < len(tables) <= MOST_TABLES else ()
    return tuple(
        replace(
            table,
            links=tuple(link for link in found if link.child == table.sql_name),
            columns=tuple(_with_values(workspace, user, table, column) for column in table.columns),
        )
        for table in tables
    )


def links(workspace: Workspace, user: User, tables: Sequence[Table]) -> tuple[Link, ...]:
    """The candidates that the stored values bear out. Without an answer of the database none is."""
    named = {table.sql_name: table for table in tables}
    wanted = best(candidates(tables))
    facts = {link: _fact(link, named) for link in wanted}
    unknown = [link for link in wanted if FACTS.known(facts[link]) is None]
    if unknown:
        try:
            asked = " ".join(f"{link.child} {link.parent}" for link in unknown)
            with reader_cursor(workspace, user, asked) as cursor:
                for link in unknown:
                    cursor.execute(_inclusion(workspace.schema_name, link))
                    values, found = cursor.fetchone()
                    FACTS.keep(facts[link], bool(values) and found >= HELD * values)
        except DatabaseError as error:
            logger.warning("The joins between tables could not be checked: %s", error)
    return tuple(link for link in wanted if FACTS.known(facts[link]))


def _fact(link: Link, tables: dict[str, Table]) -> Fact:
    child, parent = tables[link.child], tables[link.parent]
    return (
        child.schema, link.child, child.version_id, link.column, link.parent, parent.version_id, link.key,
    )  # fmt: skip


def _inclusion(schema: str, link: Link) -> sql.Composed:
    """How many distinct values a column has, of a sample, and how many of them the key holds."""
    return sql.SQL(
        "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT 1 FROM {parent} AS p"
        " WHERE p.{key} = s.value)) FROM (SELECT DISTINCT {column} AS value FROM"
        " (SELECT {column} FROM {child} WHERE {column} IS NOT NULL LIMIT {sample}) AS r) AS s"
    ).format(
        parent=sql.Identifier(schema, link.parent),
        key=sql.Identifier(link.key),
        column=sql.Identifier(link.column),
        child=sql.Identifier(schema, link.child),
        sample=sql.Literal(SAMPLE),
    )


def _with_values(workspace: Workspace, user: User, table: Table, column: Column) -> Column:
    cut = column.kind == "text" and len(column.values) < column.distinct <= MOST_VALUES
    if not cut:
        return column
    key = (table.schema, table.sql_name, table.version_id, column.sql_name)
    return replace(column, more=LongList(workspace, user, key))


@dataclass(frozen=True, slots=True)
class LongList:
    """All values of one column, read from the database the first time that one is looked up."""

    workspace: Workspace
    user: User
    key: tuple[str, str, str, str]

    def find(self, text: str) -> tuple[str, ...]:
        """The stored spellings of a value whose words, folded, are `text`."""
        return _values(Kept(self.workspace, self.user), self.key).get(text, ())


class Kept:
    """Whose rights the values are read in. It takes no part in telling two look-ups apart: the key names all
    that counts, and is only had by who may read the table."""

    def __init__(self, workspace: Workspace, user: User) -> None:
        self.workspace, self.user = workspace, user

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kept)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=MOST_COLUMNS)
def _values(kept: Kept, key: tuple[str, str, str, str]) -> dict[str, tuple[str, ...]]:
    """Spellings by their folded words. Raises DatabaseError, so that a failure is not kept."""
    schema, table, _, column = key
    query = sql.SQL(
        "SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL LIMIT {most}"
    ).format(
        column=sql.Identifier(column),
        table=sql.Identifier(schema, table),
        most=sql.Literal(MOST_VALUES),
    )
    found: dict[str, list[str]] = {}
    with reader_cursor(kept.workspace, kept.user, table) as cursor:
        cursor.execute(query)
        for (value,) in cursor:
            found.setdefault(plain(str(value)), []).append(str(value))
    return {text: tuple(sorted(values)) for text, values in found.items()}
