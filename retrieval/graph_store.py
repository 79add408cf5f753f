"""The graph store: entities that the question names, a walk from them, and the relations on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils import translation
from django.utils.translation import gettext as _

from corpus.selectors import chunks_live
from retrieval.fusion import rrf
from retrieval.graph_cache import graph_read
from retrieval.graph_chain import asked_of, chain
from retrieval.graph_described import described
from retrieval.graph_seeds import seeds_of
from retrieval.ppr import personalized_pagerank
from retrieval.sentences import DATE, NUMBER, asked_kind
from retrieval.text_store import hit, passage_values
from retrieval.values import Retrieved

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.fusion import Fused
    from retrieval.graph_cache import LoadedGraph
    from retrieval.graph_seeds import Seed
    from retrieval.values import GraphFact
    from teams.models import User, Workspace

STORE = "graph"
CANDIDATES = 30
# The passages that state the facts of the answer come before those that only lie near: twice the
# weight outranks the walk's list. Only as many as fit the top five beside others.
STATED, STATED_WEIGHT = 4, 2.0
# The walk begins at the entities that the question names and, as much, at the passages nearest to it: the
# nearest so many, each further one less by e for this share of the spread of all cosines
# (docs/decisions/0010-walk.md).
NEAREST, SPREAD = 20, 0.4


def search(
    *,
    workspace: Workspace,
    user: User,
    text: str,
    vector: NDArray[np.float32],
    language: str,
    limit: int = 8,
) -> Retrieved:
    """The facts that lead to an answer, and the passages near the entities that the question names.

    `vector` is (d,) with unit length, made by the embedder in force. Passages are ranked by
    Personalized PageRank from the seeds and from the passages nearest by cosine; only passages of current
    versions that `user` may see take part. Nothing is found without a seed.
    """
    graph = graph_read(workspace=workspace, user=user)
    with translation.override("pt" if language == "pt" else "en"):
        if not graph.links:
            return Retrieved(STORE, note=_("No relations between names are held here."))
        seeds = seeds_of(graph, text, vector)
        facts = _fitting(text, chain(graph, seeds, asked_of(text, language, seeds)))
        if not facts:
            live = chunks_live(workspace, user)
            meant, facts = described(graph, live, text, language)
            seeds = meant or seeds
        if not seeds:
            return Retrieved(STORE, note=_("The question names nothing that the graph holds."))
    ranked = _ranked(graph, seeds, facts, vector)[:limit]
    rows = passage_values(
        chunks_live(workspace, user).filter(pk__in=[item.key for item in ranked]), vector
    )
    held = {str(row["pk"]): row for row in rows}
    hits = tuple(hit(held[item.key], item.score, item.ranks) for item in ranked if item.key in held)
    shown = {found.chunk_id for found in hits}
    return Retrieved(
        STORE, hits=hits, facts=tuple(fact for fact in facts if fact.chunk_id in shown)
    )


def _fitting(text: str, facts: tuple[GraphFact, ...]) -> tuple[GraphFact, ...]:
    """No facts when a number or a date is asked for and none of them states one."""
    kind = asked_kind(text)
    if kind == "number" and not any(NUMBER.search(fact.predicate) for fact in facts):
        return ()
    if kind == "date" and not any(DATE.search(fact.sentence) for fact in facts):
        return ()
    return facts


def _ranked(
    graph: LoadedGraph,
    seeds: tuple[Seed, ...],
    facts: tuple[GraphFact, ...],
    vector: NDArray[np.float32],
) -> list[Fused]:
    """Passages by the walk, and first those that state the facts."""
    cosines = graph.passage_vectors @ vector
    scores = personalized_pagerank(graph.walk, _begin(graph, seeds, cosines))
    walked = np.array([scores.get(("passage", j), 0.0) for j in range(len(graph.passages))])
    # Equal walks are common (a name's neighbours are alike): the nearer text goes first.
    by_walk = [int(j) for j in np.lexsort((-cosines, -walked))[:CANDIDATES] if walked[j] > 0]
    stated = list(dict.fromkeys(fact.chunk_id for fact in facts))[:STATED]
    return rrf(
        {"facts": stated, "walk": [graph.passages[j] for j in by_walk]},
        weights={"facts": STATED_WEIGHT},
    )


def _begin(
    graph: LoadedGraph, seeds: tuple[Seed, ...], cosines: NDArray[np.float32]
) -> dict[Any, float]:
    """Where the walk begins, as shares: half at the entities, the rarer the more, half at the passages.

    As in HippoRAG 2 (Gutiérrez and others, 2025), which starts from passages too.
    """
    named = {seed.entity: seed.weight * float(graph.rarity[seed.entity]) for seed in seeds}
    begin: dict[Any, float] = {}
    total = sum(named.values())
    if total > 0:
        begin |= {entity: weight / total for entity, weight in named.items()}
    near = np.argsort(-cosines, kind="stable")[:NEAREST]
    spread = float(cosines.std())
    if spread > 0:
        shares = np.exp((cosines[near] - cosines[near[0]]) / (SPREAD * spread))
        shares /= shares.sum()
        begin |= {("passage", int(j)): float(share) for j, share in zip(near, shares, strict=True)}
    return begin
