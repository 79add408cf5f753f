"""Personalized PageRank over a list of edges. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

DAMPING = 0.85
# Above this many nodes only what lies near the seeds is walked: the rest would get next to nothing.
WHOLE, REACH = 5_000, 3


def walk_graph[Node: Hashable](edges: Iterable[tuple[Node, Node, float]]) -> nx.Graph:
    """An undirected graph of (node, node, weight); the weights of a repeated edge add up.

    Edges with a weight of zero or less are left out, and so is an edge from a node to itself.
    """
    graph = nx.Graph()
    for left, right, weight in edges:
        if weight <= 0 or left == right:
            continue
        held = graph.get_edge_data(left, right, {"weight": 0.0})["weight"]
        graph.add_edge(left, right, weight=held + weight)
    return graph


def personalized_pagerank[Node: Hashable](
    edges: nx.Graph | Iterable[tuple[Node, Node, float]],
    seeds: Mapping[Node, float],
    *,
    damping: float = DAMPING,
) -> dict[Node, float]:
    """The share of time that a walker spends on each node when it keeps returning to the seeds.

    `edges` are (node, node, weight) or a graph made of them by `walk_graph`; `seeds` are weights,
    of which only the positive ones on nodes of the graph count. The scores add up to 1; without a
    seed in the graph there are none. `damping` is the chance to walk on instead of returning.

    Page, Brin, Motwani, Winograd: The PageRank Citation Ranking (1999); seeded as in Haveliwala:
    Topic-sensitive PageRank (WWW 2002).
    """
    graph = edges if isinstance(edges, nx.Graph) else walk_graph(edges)
    known = {node: weight for node, weight in seeds.items() if weight > 0 and node in graph}
    if not known:
        return {}
    if graph.number_of_nodes() > WHOLE:
        near = nx.multi_source_dijkstra_path_length(graph, set(known), cutoff=REACH, weight=None)
        graph = graph.subgraph(near)
    # Starting at the seeds keeps parts that nothing joins to them at exactly zero.
    scores: dict[Node, float] = nx.pagerank(
        graph, alpha=damping, personalization=known, nstart=known, weight="weight"
    )
    return scores
