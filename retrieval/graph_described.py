"""What a question describes instead of naming: "the person who presents the energy plan"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engines.language import WORD, stems, words
from engines.registry import embedder
from retrieval.graph_chain import asked_of, chain
from retrieval.graph_seeds import Seed
from retrieval.graph_words import alike, bridged, groups_of, lexicon
from retrieval.sentences import best_sentences
from retrieval.text_store import passage_values
from retrieval.values import GraphFact

if TYPE_CHECKING:
    from retrieval.graph_cache import LoadedGraph

# Passages read for the description, sentences of them that may hold what is meant.
READ, TAKEN = 6, 2
LEAST_WORDS = 3
MEANT = 0.8
# Share of the description's words that the sentence must hold: what it does not say, nobody did.
LEAST_SHARE = 0.6


def described(
    graph: LoadedGraph, live: Any, text: str, language: str
) -> tuple[tuple[Seed, ...], tuple[GraphFact, ...]]:
    """What the described thing may be, and the facts from it to what is asked, the description first.

    The description is looked up in the passages `live` (a queryset of those that may be read); the
    names of the sentence that fits it best are what it may mean. Both are empty when the question
    describes nothing or no relation that it asks for starts there.
    """
    found = _description(text)
    if found is None:
        return (), ()
    place, head, said = found
    vector = embedder().queries([said])[0]
    cosines = graph.passage_vectors @ vector
    near = [graph.passages[int(j)] for j in np.argsort(-cosines, kind="stable")[:READ]]
    rows = {str(row["pk"]): row for row in passage_values(live.filter(pk__in=near), vector)}
    passages = [rows[key] for key in near if key in rows]
    quoted = best_sentences(
        said,
        [(row["text"], row["language"]) for row in passages],
        language=language,
        headings=[row["heading_path"] for row in passages],
        limit=TAKEN,
        quotable=READ,
    )
    for sentence in sorted(quoted, key=lambda item: -item.score):
        row = passages[sentence.passage]
        if not _fits(said, language, f"{row['heading_path']} {sentence.text}", row["language"]):
            continue
        for entity in _named(graph, sentence.text):
            seeds = (Seed(entity, MEANT, place, place + 1),)
            facts = chain(graph, seeds, asked_of(head, language, seeds))
            if facts:
                key = str(row["pk"])
                name = graph.names[entity]
                return seeds, (GraphFact(name, "—", said, key, sentence.text), *facts)
    return (), ()


def _description(text: str) -> tuple[int, str, str] | None:
    """The described noun's place among the words, the question up to it, and the description."""
    tokens = words(text)
    raw = WORD.findall(text)
    if len(raw) != len(tokens):
        return None
    held = lexicon()
    for i in range(len(tokens) - 2, 1, -1):
        if tokens[i] in held.described and tokens[i + 1] in held.begins:
            end = _verb_at_end(tokens, i)
            said = raw[i + 2 : end]
            if len(said) >= LEAST_WORDS:
                return i, " ".join([*raw[: i + 1], *raw[end:]]), " ".join(said)
    return None


def _fits(said: str, language: str, text: str, spoken: str) -> bool:
    """Whether a text holds enough of a description's words, in either language."""
    wanted = [bridged(stem) for stem in dict.fromkeys(stems(said, language))]
    held = stems(text, spoken)
    met = sum(any(alike(one, other) for one in group for other in held) for group in wanted)
    return bool(wanted) and met >= LEAST_SHARE * len(wanted)


def _verb_at_end(tokens: list[str], noun: int) -> int:
    """Where the description ends: English puts the verb of "does" after it ("… report to?")."""
    end = len(tokens)
    if not {"does", "did", "do"} & set(tokens[:noun]):
        return end
    last = end - 1 if tokens[end - 1] not in {"to", "for", "with"} else end - 2
    return last if groups_of(tokens[last]) else end


def _named(graph: LoadedGraph, sentence: str) -> list[int]:
    """Entities with relations that stand in a sentence, in its order."""
    told = f" {' '.join(words(sentence))} "
    places = [
        (told.find(f" {name} "), -len(name), entity)
        for name, entity in graph.exact.items()
        if graph.links_of[entity] and f" {name} " in told and not graph.names[entity].islower()
    ]
    return [entity for _, _, entity in sorted(places)]


__all__ = ["described"]
