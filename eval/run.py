"""Ask every question of a set through the product's own `ask()` and score what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.models import Chunk
from engines.registry import embedder
from eval.metrics import Source, facts_stand, mean, ranks, recall_at, reciprocal
from retrieval import text_store
from retrieval.ask import ask
from retrieval.models import CachedAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eval.questions import Question
    from retrieval.ask import Outcome
    from teams.models import User, Workspace

K = 5


@dataclass(frozen=True, slots=True)
class Scored:
    """How one question went. Figures are None where they do not apply."""

    question: Question
    routes: tuple[str, ...]
    answer: str
    refused: bool
    empty: bool
    routed: bool
    facts: bool | None
    r1: float | None
    r5: float | None
    rr: float | None
    plain_r5: float | None
    parts: list[dict[str, Any]]
    # The answer as the trace keeps it.
    record: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.question.id,
            "language": self.question.language,
            "question": self.question.text,
            "expected": list(self.question.routes),
            "routes": list(self.routes),
            "stages": [part["stage"] for part in self.parts],
            "reasons": [part["reason"] for part in self.parts],
            "stores": [part["store"] for part in self.parts],
            "notes": [part["note"] for part in self.parts],
            "routed": self.routed,
            "facts": self.facts,
            "r1": self.r1,
            "r5": self.r5,
            "plain_r5": self.plain_r5,
            "refused": self.refused,
            "answer": self.answer,
            "wanted": [list(fact) for fact in self.question.facts],
        }


def score(workspace: Workspace, user: User, question: Question) -> Scored:
    """Ask once, with an empty cache, so that no answer of another question is counted."""
    CachedAnswer.objects.in_workspace(workspace).delete()
    outcome = ask(workspace=workspace, user=user, question=question.text, emit=lambda *_: None)
    routes = tuple(part["route"] for part in outcome.parts)
    found = ranks(sources(outcome), question.evidence)
    ranked = bool(question.evidence) and question.answerable
    plain = ranks(_plain_sources(workspace, user, question), question.evidence)
    answered = facts_stand(outcome.answer["text"], question.facts) if question.facts else None
    return Scored(
        question=question,
        routes=routes,
        answer=outcome.answer["text"],
        refused=outcome.answer["refused"],
        empty=not sources(outcome),
        routed=_routed(routes, question),
        facts=answered,
        r1=float(1 in found) if ranked else None,
        r5=recall_at(found, K) if ranked else None,
        rr=reciprocal(found) if ranked else None,
        plain_r5=recall_at(plain, K) if ranked else None,
        parts=outcome.parts,
        record=outcome.answer,
    )


def _routed(routes: tuple[str, ...], question: Question) -> bool:
    """Each store was asked that had to be, and no other."""
    return set(routes) == set(question.routes)


def sources(outcome: Outcome) -> list[Source]:
    """Everything found, part by part: the table of a statement first, then the passages."""
    keys = [hit["chunk_id"] for part in outcome.parts for hit in part["hits"]]
    texts = {
        str(pk): f"{heading} {text}"
        for pk, heading, text in Chunk.objects.filter(pk__in=keys).values_list(
            "pk", "heading_path", "text"
        )
    }
    found: list[Source] = []
    for part in outcome.parts:
        if part["table"] is not None:
            found.append(Source(part["table"]["document"], None))
        found += [Source(hit["document"], texts.get(hit["chunk_id"], "")) for hit in part["hits"]]
    return found


def _plain_sources(workspace: Workspace, user: User, question: Question) -> list[Source]:
    """What a plain vector search over all passages gives: the thing compared to."""
    from corpus.selectors import chunks_live

    vector = embedder().queries([question.text])[0]
    rows = text_store.passage_values(chunks_live(workspace, user), vector)
    return [
        Source(row["document__name"], f"{row['heading_path']} {row['text']}")
        for row in rows.order_by("distance", "pk")[:K]
    ]


def figures(scored: Iterable[Scored]) -> dict[str, Any]:
    """The figures of a set, each over the questions to which it applies."""
    rows = list(scored)
    asked = [row for row in rows if row.question.answerable]
    unknown = [row for row in rows if not row.question.answerable]
    single = [row for row in asked if len(row.question.routes) == 1]
    compound = [row for row in asked if len(row.question.routes) > 1]
    return {
        "router": mean(row.routed for row in single),
        "r1": mean(row.r1 for row in asked if row.r1 is not None),
        "r5": mean(row.r5 for row in asked if row.r5 is not None),
        "mrr": mean(row.rr for row in asked if row.rr is not None),
        "empty": mean(row.empty for row in asked),
        "facts": mean(row.facts for row in asked if row.facts is not None),
        "facts_en": _facts(asked, "en"),
        "facts_pt": _facts(asked, "pt"),
        "compound_routes": mean(row.routed for row in compound),
        "plain_r5": mean(row.plain_r5 for row in asked if row.plain_r5 is not None),
        "refused_wrongly": mean(row.refused for row in asked),
        "refused_rightly": mean(row.refused for row in unknown),
        "by_route": {
            route: {
                "n": len(held),
                "router": mean(row.routed for row in held),
                "r5": mean(row.r5 for row in held if row.r5 is not None),
                "facts": mean(row.facts for row in held if row.facts is not None),
            }
            for route in sorted({row.question.routes[0] for row in single})
            for held in [[row for row in single if row.question.routes[0] == route]]
        },
        "sizes": {"questions": len(rows), "answerable": len(asked), "compound": len(compound)},
    }


def _facts(rows: list[Scored], language: str) -> float | None:
    return mean(
        row.facts for row in rows if row.facts is not None and row.question.language == language
    )
