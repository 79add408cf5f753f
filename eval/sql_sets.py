"""Questions to tables of public sets: Spider (English and Portuguese) and WikiTableQuestions.

Yu et al., "Spider" (EMNLP 2018); Pasupat and Liang, "Compositional Semantic Parsing on Semi-Structured
Tables" (ACL 2015). Each set is split by a hash of the id: one half to mend by, one to report.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.collection import CollectionInvalid
from retrieval.sql import lexicon
from routing.calibration import in_fit_half

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SPIDER, WEB = Path("spider"), Path("wikitablequestions")
WEB_ASKED = 300
LANGUAGES = ("en", "pt")


@dataclass(frozen=True, slots=True)
class Question:
    """`db` is a folder of CSVs, or one CSV, under the folder of tables."""

    id: str
    language: str
    text: str
    db: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with what is right: `rows` of the wanted statement, or `answers` as texts."""

    question: Question
    rows: tuple[tuple[Any, ...], ...] = ()
    ordered: bool = False
    answers: tuple[str, ...] = ()

    @property
    def fitted(self) -> bool:
        return in_fit_half(self.question.id)


def questions(path: Path) -> list[Question]:
    """Lines of `id`, `question`, `db` (or `table`), perhaps `language`; a line with `question_pt` is two
    questions. Raises CollectionInvalid for a line out of form, naming it."""
    return [question for row in _rows(path) for question in _asked(row, path)]


def _asked(row: dict[str, Any], path: Path) -> Iterator[Question]:
    try:
        id_, text = str(row["id"]), str(row["question"])
        db = str(row["db"] if "db" in row else row["table"])
    except KeyError as error:
        raise CollectionInvalid(
            f"{path}: a line has no {error}; it needs id, question and db."
        ) from error
    language = str(row.get("language") or ("en" if "question_pt" in row else _told(text)))
    if language not in LANGUAGES:
        raise CollectionInvalid(f"{path}: question {id_}: language is en or pt, not {language!r}.")
    yield Question(id_, language, text, db)
    if row.get("question_pt") and "language" not in row:
        yield Question(id_, "pt", str(row["question_pt"]), db)


def _told(text: str) -> str:
    """The language of a question that none is named for, by its function words."""
    from engines.language import stop_words

    words = {token.text for token in lexicon.tokens(text)}
    return "pt" if len(words & stop_words("pt")) > len(words & stop_words("en")) else "en"


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise CollectionInvalid(f"{path} cannot be read as JSON Lines: {error}.") from error
    if not all(isinstance(row, dict) for row in found):
        raise CollectionInvalid(f"{path}: every line is an object.")
    return found


def spider(data: Path) -> list[Labelled]:
    """Every question in both languages. A result that the set leaves out, since it is long, is made
    from its SQLite file. Raises CollectionInvalid for what is missing or out of form."""
    path = data / SPIDER / "public.jsonl"
    found = []
    for row in _rows(path):
        try:
            gold = row["gold_result"]
            if gold is None:
                gold = _gold(data / SPIDER / "sqlite" / f"{row['db']}.sqlite", row["gold_sql"])
            rows = tuple(tuple(line) for line in gold)
            ordered = "order by" in row["gold_sql"].casefold()
        except (KeyError, TypeError, sqlite3.Error) as error:
            raise CollectionInvalid(f"{path} is not in Spider's layout: {error!r}.") from error
        found += [Labelled(asked, rows, ordered) for asked in _asked(row, path)]
    return found


def _gold(path: Path, statement: str) -> list[Any]:
    if not path.is_file():
        raise CollectionInvalid(f"{path} does not exist, and a result has to be made from it.")
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as held:
        return held.execute(statement).fetchall()


def web(data: Path) -> list[Labelled]:
    """Those 300 questions whose id has the smallest SHA-256, so that the sample never changes."""
    path = data / WEB / "questions.jsonl"
    rows = sorted(_rows(path), key=lambda row: hashlib.sha256(str(row["id"]).encode()).hexdigest())
    found = []
    for row in rows[:WEB_ASKED]:
        (asked,) = _asked({"language": "en", **row}, path)
        found.append(Labelled(asked, answers=tuple(str(said) for said in row["answers"])))
    return found


def dbs(asked: Sequence[Question]) -> list[str]:
    """The databases of questions, each once, in their order."""
    return list(dict.fromkeys(question.db for question in asked))
