"""Where a question is answered: on one's own machines or by an API, and why. Pure but for `budget_spent`."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engines.difficulty import THRESHOLD, Difficulty, difficulty
from engines.models import Budget, Place
from engines.placing import LOCAL_FIRST, LOCAL_ONLY, REMOTE_FIRST
from engines.registry import specs
from engines.sensitive import sensitive
from telemetry.accounting import spent_this_month

if TYPE_CHECKING:
    from collections.abc import Iterable

    from teams.models import Workspace


class Reason(enum.StrEnum):
    """Why an answer is sought where it is."""

    QUESTION = "sensitive_question"
    PASSAGES = "sensitive_passages"
    BUDGET = "budget"
    EASY = "easy"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Placement:
    """`places` may be asked, in this order. `kind` is what was found to be sensitive."""

    places: tuple[Place, ...]
    reason: Reason
    difficulty: Difficulty
    kind: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "place": self.places[0].value,
            "only": len(self.places) == 1,
            "reason": self.reason.value,
            "kind": self.kind,
            "score": self.difficulty.score,
            "threshold": THRESHOLD,
            "marks": [list(mark) for mark in self.difficulty.marks],
        }


def placement(
    question: str, *, parts: int = 1, passages: Iterable[str] = (), over_budget: bool = False
) -> Placement:
    """Where `question` may be answered from `passages`.

    What is sensitive stays local whatever the score, and so does everything once the month's budget is
    spent. Else a question of THRESHOLD or more goes to an API first, an easier one to a local model first.
    """
    scored = difficulty(question, parts)
    if kind := sensitive(question):
        return Placement(LOCAL_ONLY, Reason.QUESTION, scored, kind)
    if kind := next((kind for text in passages if (kind := sensitive(text))), ""):
        return Placement(LOCAL_ONLY, Reason.PASSAGES, scored, kind)
    if over_budget:
        return Placement(LOCAL_ONLY, Reason.BUDGET, scored)
    if scored.score >= THRESHOLD:
        return Placement(REMOTE_FIRST, Reason.HARD, scored)
    return Placement(LOCAL_FIRST, Reason.EASY, scored)


def choice_exists() -> bool:
    """Whether a generator is set whose place matters: without a remote one all is local anyway."""
    return any(spec.remote for spec in specs("generator"))


def budget_spent(workspace: Workspace) -> bool:
    """Whether this month's answers have cost what the workspace may spend; never without a limit."""
    limit = Budget.objects.filter(workspace=workspace).values_list("monthly", flat=True).first()
    return limit is not None and spent_this_month(workspace) >= limit
