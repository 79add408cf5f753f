"""Questions that the compiler leaves: a model writes the statement, and what comes of it is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.errors import EngineError
from retrieval.sql import generate, phrase
from retrieval.sql.cited import sources
from retrieval.sql.compiler import nearest_values
from retrieval.sql.generate import NotWritten
from retrieval.sql.matching import index
from retrieval.sql.prompt import prompt
from retrieval.sql.relevant import MOST_SHOWN, relevant
from retrieval.sql.shape import misses
from retrieval.sql.verdicts import examples
from retrieval.sql.wording import reason
from retrieval.values import Retrieved, TableResult

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from engines.roles import Generator
    from retrieval.sql.catalogue import Table
    from retrieval.sql.plan import Abstain
    from teams.models import User, Workspace

STORE = "relational"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the compiler left it. `tables` are those that the reader may see."""

    workspace: Workspace
    user: User
    tables: Sequence[Table]
    text: str
    language: str
    today: dt.date
    vector: NDArray[np.float32] | None = None


def written(model: Generator, asked: Asked, why: Abstain) -> Retrieved:
    """The rows of a statement that the model wrote, else why there are none; it never raises.

    `why` is the compiler's reason, which stands first where the model did no better.
    """
    shown = relevant(asked.text, asked.tables, most=MOST_SHOWN, vector=asked.vector)
    try:
        worked = examples(
            workspace=asked.workspace, user=asked.user, tables=asked.tables, vector=asked.vector
        )
        made = prompt(asked.text, shown, today=asked.today, missing=why.words, examples=worked)
        found = generate.write(
            generator=model,
            workspace=asked.workspace,
            user=asked.user,
            tables=shown,
            text=asked.text,
            asked=made,
        )
    except NotWritten as error:
        name = "failed" if error.by_database else "refused"
        note = reason(name, asked.language, why=str(error))
        return _nothing(f"{why.reason} {note}", len(shown), error.statement)
    except EngineError as error:
        note = reason("engine", asked.language, why=str(error))
        return _nothing(f"{why.reason} {note}", len(shown))
    if found is None:
        return _nothing(why.reason, len(shown))
    if not found.rows.rows:
        return _nothing(_why_empty(found.sql, shown, asked.language), len(shown), found.sql)
    result = _result(found, asked.language)
    return Retrieved(STORE, table=result, tables_read=len(shown))


def _nothing(note: str, tables: int, statement: str = "") -> Retrieved:
    return Retrieved(STORE, note=note, refused_sql=statement, tables_read=tables)


def _why_empty(sql: str, tables: Sequence[Table], language: str) -> str:
    """Which comparison of the statement no row can fulfil, with the nearest values that are stored."""
    missed = misses(sql, tables)
    if not missed:
        return reason("empty_written", language)
    said = []
    for column, text in missed:
        near = dict.fromkeys(
            value
            for table in tables
            if column in table.columns
            for word in text.split()
            for value in nearest_values(word.casefold(), index(table))
            if value in column.values
        )
        listed = ", ".join(list(near)[:3] or column.values[:3])
        said.append(reason("not_stored", language, column=column.label, text=text, near=listed))
    return reason("empty", language, filters="; ".join(said))


def _result(found: generate.Written, language: str) -> TableResult:
    """The result of a model's statement: the rows themselves are its sentence."""
    rows = found.rows.rows
    lines = [
        " — ".join(phrase.shown(cell, language) for cell in row) for row in rows[: phrase.SHOWN]
    ]
    heads = " — ".join(found.rows.columns)
    return TableResult(
        sql=found.sql,
        origin=found.origin,
        plan="",
        columns=found.rows.columns,
        rows=rows,
        table_title=found.table.title,
        document_id=found.table.document_id,
        version_id=found.table.version_id,
        document=found.table.document,
        sentence=f"{heads}: {'; '.join(lines)}.",
        truncated=found.rows.truncated,
        others=sources(found.others),
    )
