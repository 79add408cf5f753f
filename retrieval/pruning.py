"""A passage cut down to the sentences that bear on the question, for a generator with little room."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.sentences import parts_of, scored_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.values import Citation

GAP = "[…]"


def pruned(
    question: str,
    sources: Sequence[Citation],
    *,
    language: str,
    languages: Mapping[str, str],
    keep: int,
) -> list[Citation]:
    """`sources`, best first, each with its `keep` best sentences in the order in which they stand.

    `languages` maps the id of a chunk to its language, `language` is the question's. What was left
    out between two sentences is marked, so that the model does not read them as one thought. The
    rows of a statement stay whole, and so does a passage of no more sentences than that.
    """
    passages = [(item.text, languages.get(item.chunk_id, language)) for item in sources]
    headings = [item.heading_path for item in sources]
    scored = scored_sentences(question, passages, language=language, headings=headings)
    of_passage: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
    for one in scored:
        of_passage[one.passage].append((-one.score, one.position))
    kept = {
        index: sorted(position for _, position in sorted(found)[:keep])
        for index, found in of_passage.items()
    }
    return [
        item if item.kind == "sql" else replace(item, text=_joined(item.text, kept.get(index, [])))
        for index, item in enumerate(sources)
    ]


def _joined(text: str, positions: Sequence[int]) -> str:
    parts = parts_of(text)
    if not positions or len(positions) == len(parts):
        return text
    told, last = [], -1
    for position in positions:
        if position != last + 1:
            told.append(GAP)
        told.append(parts[position])
        last = position
    if last != len(parts) - 1:
        told.append(GAP)
    return " ".join(told)
