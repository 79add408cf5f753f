"""Personalized PageRank over a list of edges. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

DAMPING = 0.85
# Above this many nodes only what lies near the seeds is walked: the rest would get next to nothing.
WHOLE = 5_000
# The whole walk stops when a step moves less than this in all.
MOVED = 1e-10
# No node keeps more than this share of the walker for each edge (of mean weight) that it has.
LEFT = 2e-6


@dataclass(frozen=True, slots=True, eq=False)
class WalkGraph[Node: Hashable]:
    """An undirected graph in compressed rows. Not to be changed.

    The neighbours of node i are `neighbours[starts[i]:starts[i + 1]]`, with `weights` beside them;
    `strength` (n,) is the sum of each node's weights, `mean` the mean weight.
    """

    nodes: Sequence[Node]
    place: Mapping[Node, int]
    starts: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float64]
    strength: NDArray[np.float64]
    mean: float

    def __len__(self) -> int:
        return len(self.nodes)

    def number_of_edges(self) -> int:
        return len(self.neighbours) // 2

    def weight(self, left: Node, right: Node) -> float:
        """The weight of the edge between two nodes; 0 without one."""
        row = slice(self.starts[self.place[left]], self.starts[self.place[left] + 1])
        held = self.neighbours[row] == self.place[right]
        return float(self.weights[row][held].sum())


def walk_graph[Node: Hashable](edges: Iterable[tuple[Node, Node, float]]) -> WalkGraph[Node]:
    """An undirected graph of (node, node, weight); the weights of a repeated edge add up.

    Edges with a weight of zero or less are left out, and so is an edge from a node to itself.
    """
    place: dict[Node, int] = {}
    lefts: list[int] = []
    rights: list[int] = []
    weights: list[float] = []
    for left, right, weight in edges:
        if weight <= 0 or left == right:
            continue
        lefts.append(place.setdefault(left, len(place)))
        rights.append(place.setdefault(right, len(place)))
        weights.append(weight)
    return graph_of_arrays(
        tuple(place), place, np.array(lefts), np.array(rights), np.array(weights)
    )


def graph_of_arrays[Node: Hashable](
    nodes: Sequence[Node],
    place: Mapping[Node, int],
    left: NDArray[Any],
    right: NDArray[Any],
    weight: NDArray[Any],
) -> WalkGraph[Node]:
    """As `walk_graph`, of edges by position: `left`, `right` and `weight` are (e,), without loops."""
    from scipy.sparse import coo_array

    size = len(nodes)
    ends = (np.concatenate([left, right]), np.concatenate([right, left]))
    # Building rows from pairs adds up those that are named twice.
    ends = (ends[0].astype(np.int32), ends[1].astype(np.int32))
    twice = np.concatenate([weight, weight]).astype(np.float64)
    rows = coo_array((twice, ends), shape=(size, size)).tocsr()
    return WalkGraph(
        nodes=nodes,
        place=place,
        starts=rows.indptr.astype(np.int64),
        neighbours=rows.indices,
        weights=rows.data,
        strength=np.asarray(rows.sum(axis=1), dtype=np.float64).reshape(size),
        mean=float(rows.data.mean()) if rows.nnz else 1.0,
    )


def personalized_pagerank[Node: Hashable](
    edges: WalkGraph[Node] | Iterable[tuple[Node, Node, float]],
    seeds: Mapping[Node, float],
    *,
    damping: float = DAMPING,
) -> dict[Node, float]:
    """The share of time that a walker spends on each node when it keeps returning to the seeds.

    `edges` are (node, node, weight) or a graph made of them by `walk_graph`; `seeds` are weights,
    of which only the positive ones on nodes of the graph count. The scores add up to 1; without a
    seed in the graph there are none. `damping` is the chance to walk on instead of returning. Of a
    graph with more than WHOLE nodes only those are given that the walk near the seeds reaches.

    Page, Brin, Motwani, Winograd: The PageRank Citation Ranking (1999); seeded as in Haveliwala:
    Topic-sensitive PageRank (WWW 2002).
    """
    graph = edges if isinstance(edges, WalkGraph) else walk_graph(edges)
    known = {
        graph.place[node]: weight
        for node, weight in seeds.items()
        if weight > 0 and node in graph.place
    }
    if not known:
        return {}
    at = np.fromiter(known, dtype=np.int64, count=len(known))
    share = np.fromiter(known.values(), dtype=np.float64, count=len(known))
    share /= share.sum()
    if len(graph) > WHOLE:
        reached, scores = _near(graph, at, share, damping)
    else:
        reached, scores = np.arange(len(graph)), _whole(graph, at, share, damping)
    nodes = graph.nodes
    return {nodes[i]: score for i, score in zip(reached.tolist(), scores.tolist(), strict=True)}


def _whole(
    graph: WalkGraph[Any], at: NDArray[np.int64], share: NDArray[np.float64], damping: float
) -> NDArray[np.float64]:
    """(n,) scores by power iteration, started at the seeds.

    So parts that nothing joins to them stay at exactly zero.
    """
    from scipy.sparse import csr_array

    size = len(graph)
    rows = csr_array((graph.weights, graph.neighbours, graph.starts), shape=(size, size))
    back = np.zeros(size)
    back[at] = (1 - damping) * share
    scores = back / back.sum()
    while True:
        # The matrix is its own mirror, so that a row sums what comes in.
        after = back + damping * (rows @ (scores / graph.strength))
        if np.abs(after - scores).sum() < MOVED:
            return np.asarray(after / after.sum())
        scores = after


def _near(
    graph: WalkGraph[Any], at: NDArray[np.int64], share: NDArray[np.float64], damping: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions (k,) and scores (k,) of the nodes near the seeds, by forward push.

    Each round every node with more than LEFT for each of its edges keeps a part of what it holds and
    hands the rest on. Then no score is short of the true one by more than LEFT for each edge of its
    node, and the work is bounded by 1 / (LEFT (1 - damping)), however large the graph.

    Andersen, Chung, Lang: Local Graph Partitioning using PageRank Vectors (FOCS 2006), section 3.
    """
    kept, held = np.zeros(len(graph)), np.zeros(len(graph))
    held[at] = share
    least = LEFT / graph.mean
    seen = [at]
    front = at
    while front.size:
        mass = held[front]
        held[front] = 0
        kept[front] += (1 - damping) * mass
        begin = graph.starts[front]
        count = graph.starts[front + 1] - begin
        offset = np.repeat(begin - np.concatenate(([0], np.cumsum(count)[:-1])), count)
        edge = offset + np.arange(count.sum())
        there = graph.neighbours[edge]
        given = np.repeat(damping * mass / graph.strength[front], count) * graph.weights[edge]
        np.add.at(held, there, given)
        full = there[held[there] > least * graph.strength[there]]
        front = np.unique(full).astype(np.int64)
        seen.append(front)
    reached = np.unique(np.concatenate(seen))
    scores = kept[reached]
    return reached, scores / scores.sum()
