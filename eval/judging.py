"""What a judge says of an answer: how much of it its sources state, and whether it answers the question.

Faithfulness and answer relevancy as in Es et al., "RAGAS: Automated Evaluation of Retrieval Augmented
Generation" (EACL 2024), with one difference: relevancy is a plain yes or no, not the likeness of questions
made from the answer. `eval.claims_run` tells how far the judge can be believed.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from corpus.models import Chunk
from engines.errors import EngineError
from engines.fence import as_data
from engines.registry import judge
from retrieval.values import Answer, Citation
from retrieval.verifying import claims, stated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engines.roles import Verifier
    from eval.run import Scored

RELEVANT = """You check whether a statement answers a question, not whether it is true. Reply YES if the
statement gives what the question asks for. Reply NO if it says something else, even about the same subject.
Reply with YES or NO alone."""


def answers(engine: Verifier, question: str, text: str) -> bool:
    """Whether `text` gives what `question` asks for. Raises EngineError."""
    asked = f"QUESTION: {as_data(question)}\nSTATEMENT: {as_data(text)}"
    return engine.holds(system=RELEVANT, user=asked)


def figures(rows: Iterable[Scored]) -> dict[str, Any]:
    """`faithful`, `relevant` (means over answers that a model wrote) and `judged`; {} without a judge."""
    engine = judge()
    written = [row for row in rows if row.record.get("model") and not row.refused]
    if engine is None or not written:
        return {}
    faithful, relevant = [], []
    for row in written:
        try:
            share = faithfulness(engine, row.record)
            fits = answers(engine, row.question.text, row.answer)
        except EngineError:
            continue
        if share is not None:
            faithful.append(share)
        relevant.append(fits)
    return {
        "faithful": round(fmean(faithful), 4) if faithful else None,
        "relevant": round(fmean(relevant), 4) if relevant else None,
        "judged": len(relevant),
    }


def faithfulness(engine: Verifier, record: dict[str, Any]) -> float | None:
    """The share of an answer's written sentences that its sources state; None where none was written.

    `record` is the answer as `retrieval.record` keeps it. Raises EngineError.
    """
    answer = _answer(record)
    texts = {item.n: item.text for item in answer.citations}
    found = [
        stated(engine, claim.text, [texts[n] for n in claim.sources if n in texts])
        for claim in claims(answer)
    ]
    return fmean(found) if found else None


def _answer(record: dict[str, Any]) -> Answer:
    """The answer again, its passages read from the corpus."""
    keys = [item["chunk_id"] for item in record["citations"] if item["chunk_id"]]
    texts = {
        str(pk): text for pk, text in Chunk.objects.filter(pk__in=keys).values_list("pk", "text")
    }
    citations = tuple(
        Citation(
            item["n"],
            item["kind"],
            item["document_id"],
            item["version_id"],
            item["document"],
            text=texts.get(item["chunk_id"], item["sql"]),
        )
        for item in record["citations"]
    )
    return Answer(
        record["text"],
        citations,
        said=tuple((part["said"], part["text"]) for part in record["parts"]),
        written=tuple(part["written"] for part in record["parts"]),
        model=record["model"],
    )
