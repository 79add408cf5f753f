"""Refusals over a collection that no bound was fitted on: its own questions and those of another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engines.language import detect
from engines.registry import embedder
from eval.collection import items, load
from eval.refusal_run import share
from retrieval import floor, text_store
from retrieval.filters import NOTHING
from retrieval.known import known
from retrieval.refusal import doubt
from retrieval.values import Part
from routing.values import VECTORIAL, Clause, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eval.collection import Collection, Item

SAMPLE = 150


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Whether one question was refused: by the floor of the contrast alone, and by all reasons."""

    floor: bool
    refused: bool


def figures(corpus: Path, own: Path, foreign: Path) -> dict[str, dict[str, Any]]:
    """Shares refused of SAMPLE questions each, evenly taken: `own` ones and those of another collection.

    Nobody has said that a foreign question has no answer here, but one about another field has hardly
    any. Raises CollectionInvalid and EngineError.
    """
    held = load(items(corpus, "text"), say=lambda _: None)
    found = {}
    for name, path in (("own", own), ("foreign", foreign)):
        asked = items(path, "text", "question")
        went = _asked(held, asked[:: max(1, len(asked) // SAMPLE)][:SAMPLE])
        found[name] = share([one.refused for one in went])
        found[f"{name}_floor_alone"] = share([one.floor for one in went])
    return found


def _asked(held: Collection, asked: Sequence[Item]) -> list[Elsewhere]:
    went = []
    vectors = embedder().queries([question.text for question in asked])
    for question, vector in zip(asked, vectors, strict=True):
        text, language = question.text, detect(question.text)
        search = {
            "workspace": held.workspace,
            "user": held.user,
            "text": text,
            "language": language,
        }
        found = text_store.search(**search, vector=vector)  # type: ignore[arg-type]
        seen = known(**search, hits=found.hits, filters=NOTHING)  # type: ignore[arg-type]
        part = Part(
            Clause(0, text, text),
            language,
            Decision(VECTORIAL, "", (), 0.0, 0, ""),
            replace(found, known=seen),
        )
        low = not floor.enough(floor.support(text, found.hits), str(embedder().identity))
        went.append(Elsewhere(low, doubt(part) is not None))
    return went
