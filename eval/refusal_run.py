"""How often "I don't know" is said where nothing answers, and where something does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eval import questions
from eval.metrics import facts_stand
from retrieval.ask import ask
from retrieval.models import CachedAnswer
from routing.calibration import in_fit_half, wilson_upper

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eval.questions import Question
    from teams.models import User, Workspace

SETS = ("unanswerable_dev", "dev_unknown", "golden", "dev_text", "dev_text2", "dev_graph2")
# This set has questions alone: nothing answers them.
BARE = "unanswerable_dev"


@dataclass(frozen=True, slots=True)
class Refused:
    """How one question went; `facts` is None where none were to be told, or the question has no answer."""

    name: str
    question: Question
    refused: bool
    facts: bool | None
    answer: str


def read(name: str) -> list[Question]:
    """The questions of a development set. Raises SetInvalid."""
    if name != BARE:
        return questions.read(name)
    text = (questions.SETS / f"{name}.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [
        questions.Question(row["id"], row["lang"], row["question"], (), (), (), answerable=False)
        for row in rows
    ]


def asked(workspace: Workspace, user: User, names: Iterable[str] = SETS) -> list[Refused]:
    """Every question asked once with an empty cache, through the product's own `ask()`."""
    found = []
    for name in names:
        for question in read(name):
            CachedAnswer.objects.in_workspace(workspace).delete()
            answer = ask(
                workspace=workspace, user=user, question=question.text, emit=lambda *_: None
            ).answer
            facts = facts_stand(answer["text"], question.facts) if question.facts else None
            found.append(Refused(name, question, answer["refused"], facts, answer["text"]))
    return found


def figures(rows: Sequence[Refused]) -> dict[str, Any]:
    """Shares with Wilson's 95 % interval over all, over the half fitted on and over the other.

    `rightly` is the share of the questions without an answer that were refused, `wrongly` that of the
    others, `facts` the share of the others whose facts were told.
    """
    halves = {
        "all": rows,
        "fit": [row for row in rows if in_fit_half(row.question.text)],
        "held_out": [row for row in rows if not in_fit_half(row.question.text)],
    }
    return {half: _half(chosen) for half, chosen in halves.items()}


def _half(rows: Sequence[Refused]) -> dict[str, Any]:
    unknown = [row.refused for row in rows if not row.question.answerable]
    known = [row for row in rows if row.question.answerable]
    return {
        "rightly": share(unknown),
        "wrongly": share([row.refused for row in known]),
        "facts": share([row.facts for row in known if row.facts is not None]),
    }


def share(held: Sequence[bool]) -> dict[str, Any]:
    """How many of how many, the share, and both ends of the 95 % Wilson score interval (Wilson, 1927)."""
    many, total = sum(held), len(held)
    return {
        "n": total,
        "true": many,
        "share": round(many / total, 4) if total else None,
        "low": round(1 - wilson_upper(total - many, total), 4),
        "high": round(wilson_upper(many, total), 4),
    }
