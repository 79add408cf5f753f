"""TAT-QA: questions of one page of a financial report, a table with paragraphs around it.

Zhu et al., "TAT-QA: A Question Answering Benchmark on a Hybrid of Tabular and Textual Content in Finance"
(ACL 2021). Of the development set those 300 questions are asked whose uid has the smallest SHA-256, so
that the sample never changes; `in_fit_half` of the question splits it: one half to mend by, one to report.

Each page is two documents, `<key>.csv` and `<key>.txt`, read by the product's own path. A question is
asked of these two by a filter on documents, and once more of all pages where that is wished.
"""

from __future__ import annotations

import csv
import hashlib
import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.collection import CollectionInvalid
from eval.tatqa_match import Gold, Said, gold_of, matches, said_of, stands
from eval.workspace import folder_read
from retrieval.ask import ask
from retrieval.filters import NOTHING, Filters
from retrieval.models import CachedAnswer
from retrieval.options import Options
from routing.calibration import in_fit_half
from routing.values import RELATIONAL, VECTORIAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from teams.models import User, Workspace

SLUG, ASKED = "tatqa", 300
FILE = Path("tatqa") / "tatqa_dataset_dev.json"
# Where the answer is to be found: either store serves where it needs both.
STORES = {
    "table": {RELATIONAL},
    "text": {VECTORIAL},
    "table-text": {RELATIONAL, VECTORIAL},
}


@dataclass(frozen=True, slots=True)
class Question:
    """`page` names its two documents; `source` is table, text or table-text."""

    uid: str
    page: str
    text: str
    source: str
    gold: Gold

    @property
    def fitted(self) -> bool:
        return in_fit_half(self.text)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a question went. `said` is what the answer gives as its value or values."""

    question: Question
    routes: tuple[str, ...]
    stores: tuple[str, ...]
    answer: str
    said: Said
    notes: tuple[str, ...]

    @property
    def routed(self) -> bool:
        """Every part went to a store that the answer may come from."""
        return bool(self.routes) and set(self.routes) <= STORES[self.question.source]

    @property
    def strictly(self) -> bool:
        """As `routed`, but what needs both stores was sent to both, by its parts."""
        return set(self.routes) == STORES[self.question.source]

    @property
    def exact(self) -> bool:
        return matches(self.said, self.question.gold)

    @property
    def value(self) -> bool:
        """As `exact`, but without the scale (thousand, million) that the page writes elsewhere."""
        return matches(replace(self.said, scale=""), replace(self.question.gold, scale=""))

    @property
    def stands(self) -> bool:
        """Every value of the answer stands somewhere in what is told."""
        return stands(self.answer, self.question.gold)


def read(data: Path) -> tuple[list[dict[str, Any]], list[Question]]:
    """The pages of the questions that are asked, and those in the order of their hashes.

    Raises CollectionInvalid for a file that is missing or out of form.
    """
    path = data / FILE
    try:
        pages = json.loads(path.read_text(encoding="utf-8"))
        found = [_question(page, row) for page in pages for row in page["questions"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CollectionInvalid(f"{path} cannot be read as TAT-QA: {error!r}.") from error
    found.sort(key=lambda item: hashlib.sha256(item.uid.encode()).hexdigest())
    chosen = found[:ASKED]
    named = {item.page for item in chosen}
    return [page for page in pages if _key(page) in named], chosen


def _key(page: dict[str, Any]) -> str:
    return f"page-{page['table']['uid'][:8]}"


def _question(page: dict[str, Any], row: dict[str, Any]) -> Question:
    if row["answer_from"] not in STORES:
        raise ValueError(row["answer_from"])
    return Question(row["uid"], _key(page), row["question"], row["answer_from"], gold_of(row))


def pages_read(
    pages: Sequence[dict[str, Any]], say: Callable[[str], None]
) -> tuple[Workspace, User]:
    """The workspace with both documents of every page; what stands there from a run before is kept."""
    with tempfile.TemporaryDirectory() as held:
        for page in pages:
            stem = Path(held) / _key(page)
            with stem.with_suffix(".csv").open("w", encoding="utf-8", newline="") as handle:
                csv.writer(handle).writerows(page["table"]["table"])
            paragraphs = sorted(page["paragraphs"], key=lambda item: int(item["order"]))
            text = "\n\n".join(item["text"] for item in paragraphs)
            stem.with_suffix(".txt").write_text(text + "\n", encoding="utf-8")
        return folder_read(Path(held), slug=SLUG, reset=False, say=say)


def asked(workspace: Workspace, user: User, question: Question, *, alone: bool = True) -> Asked:
    """Ask of the question's own page, or of all pages, with an empty cache."""
    CachedAnswer.objects.in_workspace(workspace).delete()
    names = (f"{question.page}.csv", f"{question.page}.txt")
    filters = Filters(documents=names) if alone else NOTHING
    outcome = ask(
        workspace=workspace,
        user=user,
        question=question.text,
        emit=lambda *_: None,
        options=Options(filters=filters),
    )
    return Asked(
        question,
        tuple(part["route"] for part in outcome.parts),
        tuple(part.get("store", "") for part in outcome.parts),
        outcome.answer["text"],
        said_of(outcome),
        tuple(part.get("note", "") for part in outcome.parts),
    )


def tatqa_figures(rows: Iterable[Asked], name: str = "tatqa") -> dict[str, Any]:
    """Shares over the reported half; under `_fit` over the other, and by where the answer is found."""
    held = list(rows)
    kept = [row for row in held if not row.question.fitted]
    figures: dict[str, Any] = {
        f"{name}_route": _share(row.routed for row in kept),
        f"{name}_route_strict": _share(row.strictly for row in kept),
        f"{name}_em": _share(row.exact for row in kept),
        f"{name}_em_value": _share(row.value for row in kept),
        f"{name}_stands": _share(row.stands for row in kept),
        f"{name}_n": len(kept),
        f"{name}_route_fit": _share(row.routed for row in held if row.question.fitted),
        f"{name}_em_fit": _share(row.exact for row in held if row.question.fitted),
        f"{name}_em_value_fit": _share(row.value for row in held if row.question.fitted),
    }
    for source in STORES:
        own = [row for row in kept if row.question.source == source]
        figures[f"{name}_by_source"] = figures.get(f"{name}_by_source", {}) | {
            source: {
                "n": len(own),
                "route": _share(row.routed for row in own),
                "em": _share(row.exact for row in own),
                "em_value": _share(row.value for row in own),
            }
        }
    return figures


def _share(found: Iterable[bool]) -> float | None:
    rows = list(found)
    return round(sum(rows) / len(rows), 4) if rows else None
