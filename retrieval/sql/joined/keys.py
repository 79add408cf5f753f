"""Keys of tables and joins between them, told from names and confirmed by the values that are stored.

A column is a key where its values are as many as the rows. Another table's column refers to it where
the names say so and nearly all of its values are found there (an inclusion dependency; Bauckmann et al.,
"Efficiently detecting inclusion dependencies", ICDE 2007), since files are kept by hand and a stray value
breaks no relation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.sql.joined.words import GENERIC, likeness, name_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.sql.catalogue import Column, Table

ID_WORDS = frozenset(
    {"id", "code", "key", "no", "number", "nr", "ref", "codigo", "numero", "chave"}
)
MOST_TABLES = 60


@dataclass(frozen=True, slots=True)
class Link:
    """`child.column` refers to the key `parent.key`."""

    child: str
    column: str
    parent: str
    key: str


def candidates(tables: Sequence[Table]) -> list[tuple[float, Link]]:
    """What names and kinds suggest, each with how well the names fit."""
    found = []
    for parent in tables:
        for key in (column for column in parent.columns if is_key(column, parent)):
            for child in tables:
                if child is parent or child.schema != parent.schema:
                    continue
                for column in child.columns:
                    fit = _fit(column, child, key, parent)
                    if fit and _kinds_agree(column, key):
                        link = Link(child.sql_name, column.sql_name, parent.sql_name, key.sql_name)
                        found.append((fit, link))
    return found


def is_key(column: Column, table: Table) -> bool:
    return column.kind in {"integer", "text", "number"} and column.distinct == table.rows > 0


def _kinds_agree(one: Column, other: Column) -> bool:
    return (one.kind == "text") == (other.kind == "text")


def table_words(table: Table) -> tuple[str, ...]:
    """The words of a table's name that tell what its rows are."""
    words = name_words(table.title)
    return tuple(word for word in words if word not in GENERIC) or words


def _fit(column: Column, child: Table, key: Column, parent: Table) -> float:
    """How the name of `column` says that it refers to `key` of `parent`; 0 where it does not."""
    said, meant, title = name_words(column.label), name_words(key.label), table_words(parent)
    bare_said = [word for word in said if word not in ID_WORDS]
    bare_key = [word for word in meant if word not in ID_WORDS]
    own, numbered = is_key(column, child), bool({*said} & ID_WORDS)
    if not bare_said:
        # An 'id' of each is not the same id, unless the names of both tables begin alike.
        mine = table_words(child)
        akin = len(mine) == 1 and covers(title[:1], mine) and key is _first_key(parent)
        return 1.0 if own and akin and column is _first_key(child) else 0.0
    if own and not numbered and (key.kind != "text" or said != meant):
        return 0.0
    if said == meant:
        return 3.0 if covers(bare_said, title) or covers(title, bare_said) else 2.0
    of_title = not bare_key or covers(bare_key, title) or _short_for(bare_key, title)
    if of_title and key is _first_key(parent):
        if covers(bare_said, title):
            return 2.5
        if covers(bare_said, title[-1:]) and covers(title, bare_said):
            return 2.4
    # 'countryid' of one table is called 'country' in another.
    if bare_key and covers(bare_said, bare_key) and covers(bare_key, bare_said):
        return 2.2
    return 0.0


def _short_for(said: list[str], title: tuple[str, ...]) -> bool:
    """'cont' for continents."""
    return len(said) == len(title) == 1 and len(said[0]) >= 3 and title[0].startswith(said[0])


def _first_key(table: Table) -> Column | None:
    return next((column for column in table.columns if is_key(column, table)), None)


def covers(said: Iterable[str], wanted: Iterable[str]) -> bool:
    """Whether each of `wanted` is one of `said`, in any form."""
    listed = [*said]
    needed = [*wanted]
    return bool(needed) and all(any(likeness(one, two) >= 0.95 for one in listed) for two in needed)


def best(found: list[tuple[float, Link]]) -> list[Link]:
    """Of each column the best parent, and of two equal ones both; nothing refers both ways."""
    top: dict[tuple[str, str], float] = {}
    for fit, link in found:
        top[link.child, link.column] = max(fit, top.get((link.child, link.column), 0.0))
    kept: list[Link] = []
    for fit, link in sorted(found, key=lambda pair: (-pair[0], pair[1].child, pair[1].parent)):
        turned = Link(link.parent, link.key, link.child, link.column)
        if fit == top[link.child, link.column] and turned not in kept:
            kept.append(link)
    return kept
