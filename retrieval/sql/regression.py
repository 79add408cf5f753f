"""The verified questions of a workspace, asked again: does the same question still give the same rows?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.errors import EngineError
from engines.registry import embedder
from retrieval import sql
from retrieval.models import SqlVerdict
from retrieval.sql.execute import SqlFailed
from retrieval.sql.guard import SqlRefused
from retrieval.sql.stored import rows_again

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.sql.execute import Rows
    from retrieval.values import TableResult
    from teams.models import User, Workspace

SAME, DIFFERENT, SILENT, GONE = "same", "different", "unanswered", "gone"


@dataclass(frozen=True, slots=True)
class Checked:
    """`outcome` is same, different, unanswered (the question gives no statement any more) or gone (the
    verified statement does not run any more, which `why` explains)."""

    question: str
    outcome: str
    why: str = ""
    sql: str = ""


def verified_check(*, workspace: Workspace, user: User) -> Iterator[Checked]:
    """Ask every verified question of `workspace` again, in the rights of `user`.

    The rows of the verified statement, as they are now, are held against those of the statement that the
    question gives now; both see the tables of today, and 'this year' is that of the verdict.
    """
    rows = SqlVerdict.objects.visible_to(user).in_workspace(workspace).agreed()
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if (row.question, row.sql) in seen:
            continue
        seen.add((row.question, row.sql))
        try:
            wanted = rows_again(workspace=workspace, user=user, sql=row.sql)
        except (SqlRefused, SqlFailed) as error:
            yield Checked(row.question, GONE, str(error))
            continue
        found = sql.search(
            workspace=workspace,
            user=user,
            text=row.question,
            language="pt" if row.language in {"pt", "es"} else "en",
            today=row.created_at.date(),
            vector=_vector(row.question),
        )
        if found.table is None:
            yield Checked(row.question, SILENT, found.note)
        else:
            same = _bag(wanted) == _bag(found.table)
            yield Checked(row.question, SAME if same else DIFFERENT, "", found.table.sql)


def _vector(text: str) -> NDArray[np.float32] | None:
    try:
        found: NDArray[np.float32] = embedder().queries([text])[0]
    except EngineError:
        return None
    return found


def _bag(read: Rows | TableResult) -> Counter[tuple[str, ...]]:
    """The rows without their order, which two statements may choose alike."""
    return Counter(tuple(str(cell) for cell in row) for row in read.rows)
