"""Where a question and its passages may be sent, before it is searched and before it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.placement import budget_spent, choice_exists, placement
from engines.placing import LOCAL_FIRST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engines.models import Place
    from engines.placement import Placement
    from retrieval.values import Part
    from teams.models import Workspace


def question_places(workspace: Workspace, asked: str) -> tuple[Place, ...]:
    """Where a model may help to find (understand a question, write a statement): by the question alone."""
    if not choice_exists():
        return LOCAL_FIRST
    return placement(asked, over_budget=budget_spent(workspace)).places


def answer_place(workspace: Workspace, asked: str, parts: Sequence[Part]) -> Placement | None:
    """Where the answer may be written, by the question and all that was found; None without a choice."""
    if not choice_exists():
        return None
    return placement(
        asked,
        parts=len(parts),
        passages=_texts(parts),
        over_budget=budget_spent(workspace),
    )


def _texts(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        for hit in part.retrieved.hits:
            yield " ".join((hit.document, hit.heading_path, hit.around[0], hit.text, hit.around[1]))
        for fact in part.retrieved.facts:
            yield " ".join((fact.subject, fact.predicate, fact.object, fact.sentence))
        if part.retrieved.table is not None:
            yield f"{part.retrieved.table.table_title} {part.retrieved.table.sentence}"
