"""Questions of numbers, answered from tables that were read by the product's own path, and scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.registry import generator
from eval.collection import CollectionInvalid
from eval.scratch import file_loaded, scratch_workspace
from eval.sql_match import same_answers, same_result
from eval.sql_sets import SPIDER, WEB, dbs, spider, web
from retrieval.filters import Filters
from retrieval.sql import search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from eval.sql_sets import Labelled, Question
    from retrieval.values import TableResult
    from teams.models import User, Workspace


@dataclass(frozen=True, slots=True)
class Answered:
    """How a question went. `table` is None where it was not answered, and `note` says why."""

    question: Question
    table: TableResult | None
    note: str

    @property
    def compiled(self) -> bool:
        return self.table is not None and self.table.origin == "compiled"

    @property
    def generated(self) -> bool:
        return self.table is not None and self.table.origin in {"generated", "repaired"}


def answers(asked: Sequence[Question], tables: Path, say: Callable[[str], None]) -> list[Answered]:
    """Each question asked of its own database in a temporary workspace, in the order given.

    `tables` holds a folder of CSVs for each `db`, or the CSV that it names. Raises CollectionInvalid for one
    that is not there or cannot be read.
    """
    found: dict[int, Answered] = {}
    for db in dbs(asked):
        mine = [(n, question) for n, question in enumerate(asked) if question.db == db]
        files = _files(tables, db)
        say(f"{db}: {len(files)} tables, {len(mine)} questions")
        with scratch_workspace("sql") as (workspace, user):
            for path in files:
                if not file_loaded(workspace, user, path):
                    raise CollectionInvalid(f"{path} did not become a table.")
            for n, question in mine:
                found[n] = _answered(workspace, user, question)
    return [found[n] for n in range(len(asked))]


def _files(tables: Path, db: str) -> list[Path]:
    """The CSVs of a database. Its name stays below the folder."""
    for place in (tables, tables.parent):
        held = (place / db).resolve()
        if not held.is_relative_to(place.resolve()):
            continue
        if held.is_file():
            return [held]
        if held.is_dir() and (files := sorted(held.glob("*.csv"))):
            return files
    raise CollectionInvalid(f"{tables / db} is no CSV and no folder of CSVs.")


def _answered(workspace: Workspace, user: User, question: Question) -> Answered:
    found = search(
        workspace=workspace,
        user=user,
        text=question.text,
        language=question.language,
        filters=Filters(),
    )
    return Answered(question, found.table, found.note)


def right(labelled: Labelled, answered: Answered) -> bool:
    if answered.table is None:
        return False
    if labelled.answers:
        return same_answers(labelled.answers, answered.table.rows)
    return same_result(labelled.rows, answered.table.rows, ordered=labelled.ordered)


def figures(
    data: Path, say: Callable[[str], None], only: Iterable[str] = ("spider", "web")
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The figures of the reported halves, the same of the fitted ones under `_fit`, and the details of
    the fitted questions alone, so that the others stay unseen."""
    found: dict[str, Any] = {}
    details: list[dict[str, Any]] = []
    if "spider" in only:
        rows = _scored(spider(data), data / SPIDER / "csv", say)
        for language in ("en", "pt"):
            mine = [row for row in rows if row[0].question.language == language]
            found |= _halves(mine, f"_{language}")
        details += _details(rows)
    if "web" in only:
        rows = _scored(web(data), data / WEB / "tables", say)
        found |= {f"wtq_{key}": value for key, value in _halves(rows, "").items()}
        details += _details(rows)
    return found, details


def _scored(
    labelled: Sequence[Labelled], tables: Path, say: Callable[[str], None]
) -> list[tuple[Labelled, Answered, bool]]:
    found = answers([one.question for one in labelled], tables, say)
    pairs = zip(labelled, found, strict=True)
    return [(one, answered, right(one, answered)) for one, answered in pairs]


def _halves(rows: Sequence[tuple[Labelled, Answered, bool]], suffix: str) -> dict[str, Any]:
    reported = [row for row in rows if not row[0].fitted]
    fitted = [row for row in rows if row[0].fitted]
    return _shares(reported, suffix) | _shares(fitted, f"{suffix}_fit")


def _shares(rows: Sequence[tuple[Labelled, Answered, bool]], suffix: str) -> dict[str, Any]:
    """Of all: answered by the compiler, and right; of what compiler and model answered: right."""
    compiled = [ok for _, answered, ok in rows if answered.compiled]
    generated = [ok for _, answered, ok in rows if answered.generated]
    return {
        f"compiled_answered{suffix}": _share(len(compiled), len(rows)),
        f"compiled_right{suffix}": _share(sum(compiled), len(compiled)),
        f"generated_right{suffix}": _share(sum(generated), len(generated))
        if generator() is not None
        else None,
        f"all_right{suffix}": _share(sum(ok for *_, ok in rows), len(rows)),
        f"n{suffix}": len(rows),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _details(rows: Sequence[tuple[Labelled, Answered, bool]]) -> list[dict[str, Any]]:
    return [
        {**line(answered), "question": one.question.text, "db": one.question.db, "right": ok}
        for one, answered, ok in rows
        if one.fitted
    ]


def line(answered: Answered) -> dict[str, Any]:
    """What is written of one question: the statement that ran, who made it, and its rows."""
    table, question = answered.table, answered.question
    return {
        "id": question.id,
        "language": question.language,
        "sql": table.sql if table else None,
        "origin": table.origin if table else "abstained",
        "columns": list(table.columns) if table else [],
        "rows": [[_cell(cell) for cell in row] for row in table.rows] if table else [],
        "note": answered.note,
    }


def _cell(cell: Any) -> Any:
    """A cell as JSON says it; days and exact numbers in their plain forms."""
    if cell is None or isinstance(cell, bool | int | float | str):
        return cell
    from decimal import Decimal

    return float(cell) if isinstance(cell, Decimal) else str(cell)
