"""What the compiler may know of the tables: names, kinds and distinct values, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from corpus.models import DataColumn, DataTable
from retrieval.filters import NOTHING

if TYPE_CHECKING:
    from retrieval.filters import Filters
    from retrieval.sql.joined.keys import Link
    from teams.models import User, Workspace

NUMERIC = frozenset({"integer", "number"})


class Stored(Protocol):
    def find(self, text: str) -> tuple[str, ...]:
        """The stored spellings of a value whose words, folded, are `text`."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a stored table. `values` are its distinct texts, complete or cut at 500."""

    sql_name: str
    label: str
    kind: str
    unit: str = ""
    values: tuple[str, ...] = ()
    distinct: int = 0
    examples: tuple[str, ...] = ()
    # Looks further values up where `values` is cut; None where it is complete.
    more: Stored | None = field(default=None, compare=False)

    @property
    def numeric(self) -> bool:
        return self.kind in NUMERIC


@dataclass(frozen=True, slots=True)
class Table:
    """A stored table. `schema` and `sql_name` are its address in the database."""

    schema: str
    sql_name: str
    title: str
    rows: int
    document_id: str = ""
    version_id: str = ""
    document: str = ""
    columns: tuple[Column, ...] = field(default=(), hash=False)
    # The table of the cells as they stand in the file, where they were converted.
    raw_name: str = ""
    # The columns that refer to keys of other tables.
    links: tuple[Link, ...] = field(default=(), hash=False)

    def column(self, sql_name: str) -> Column:
        return next(column for column in self.columns if column.sql_name == sql_name)


def catalogue_read(
    *, workspace: Workspace, user: User, filters: Filters = NOTHING
) -> tuple[Table, ...]:
    """The tables of `workspace` that `user` may see, each from its document's current version.

    Of `filters` the documents count, since a table has no page, tag or language of its own.
    """
    from django.db.models import F

    from retrieval.sql.related import related

    held = DataTable.objects.visible_to(user).in_workspace(workspace)
    rows = list(
        filters.tables(held).filter(version=F("document__current")).select_related("document")
    )
    columns: dict[object, list[Column]] = {row.pk: [] for row in rows}
    if rows:
        for column in DataColumn.objects.filter(table__in=list(columns)).order_by("position"):
            columns[column.table_id].append(_column(column))
    found = tuple(
        Table(
            schema=workspace.schema_name,
            sql_name=row.sql_name,
            title=row.title,
            rows=row.rows,
            document_id=str(row.document_id),
            version_id=str(row.version_id),
            document=row.document.name,
            columns=tuple(columns[row.pk]),
            raw_name=row.raw_name,
        )
        for row in rows
    )
    return related(workspace, user, found)


def _column(row: DataColumn) -> Column:
    return Column(
        sql_name=row.sql_name,
        label=row.label,
        kind=row.kind,
        unit=row.unit,
        values=tuple(str(value) for value in row.values),
        distinct=row.distinct,
        examples=tuple(str(value) for value in row.examples[:5]),
    )
