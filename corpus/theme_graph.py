"""Which passages belong together: the graph of names and passages, and its communities. Pure.

Names and passages are nodes of one graph. Relations join names; a mention joins a name to its passage,
the rarer the name the stronger, which ties the names of one passage to each other as well; a
passage is joined to its nearest ones by the cosine of their vectors, so that passages without a name
have a theme too. Louvain's method (Blondel et al. 2008) finds the communities of the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx as nx
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

SEED = 7
NEIGHBOURS, LEAST_COSINE = 8, 0.05
# Above so many passages each looks for its nearest among a sample of that size.
MOST_COMPARED, ROWS_AT_ONCE = 20_000, 1024
RELATED = 1.0
# A theme of more passages is divided once more.
DIVIDED_ABOVE, SMALLEST_PART = 24, 3


@dataclass(frozen=True, slots=True)
class Material:
    """What themes are found in, by position: passages, and names counted from 0.

    `vectors` is (p, d) with unit rows, zeros where a passage has no vector of the embedder in force;
    `languages[i]` is that of passage i. `mentions` are (name, passage), `relations` (name, name).
    """

    vectors: Vectors
    languages: tuple[str, ...]
    names: int
    mentions: tuple[tuple[int, int], ...] = ()
    relations: tuple[tuple[int, int], ...] = ()

    @property
    def passages(self) -> int:
        return len(self.languages)


@dataclass(frozen=True, slots=True)
class Group:
    """Passages of one theme, ascending, with the themes that it divides into."""

    members: tuple[int, ...]
    parts: tuple[Group, ...] = ()


def groups(material: Material) -> list[Group]:
    """Every passage in exactly one group; the largest groups first. The same material, the same groups."""
    if not material.passages:
        return []
    graph = theme_graph(material)
    found = []
    for nodes in _communities(graph):
        members = tuple(sorted(node for node in nodes if node < material.passages))
        if members:
            found.append(Group(members, _parts(graph, nodes, members, material.passages)))
    return sorted(found, key=_first)


def _first(group: Group) -> tuple[int, tuple[int, ...]]:
    return -len(group.members), group.members


def _parts(
    graph: nx.Graph, nodes: set[int], members: tuple[int, ...], passages: int
) -> tuple[Group, ...]:
    """One level down; none when it does not divide. Splinters are in the whole alone."""
    if len(members) <= DIVIDED_ABOVE:
        return ()
    inside = _communities(graph.subgraph(nodes))
    parts = [tuple(sorted(node for node in part if node < passages)) for part in inside]
    large = [Group(part) for part in parts if SMALLEST_PART <= len(part) < len(members)]
    return tuple(sorted(large, key=_first)) if len(large) > 1 else ()


def _communities(graph: nx.Graph) -> list[set[int]]:
    import networkx as nx

    # A subgraph gives its nodes in no fixed order, and Louvain's result hangs on the order.
    ordered = nx.Graph()
    ordered.add_nodes_from(sorted(graph))
    edges = ((min(a, b), max(a, b), weight) for a, b, weight in graph.edges(data="weight"))
    ordered.add_weighted_edges_from(sorted(edges))
    found: list[set[int]] = nx.community.louvain_communities(ordered, seed=SEED)
    return found


def theme_graph(material: Material) -> nx.Graph:
    """Passage i is node i, name j is node passages + j."""
    import networkx as nx

    first = material.passages
    graph = nx.Graph()
    graph.add_nodes_from(range(first + material.names))
    for one, other, cosine in neighbours(centred(material.vectors, material.languages)):
        graph.add_edge(one, other, weight=cosine)
    for name, passage, weight in _mentioned(material):
        graph.add_edge(first + name, passage, weight=weight)
    for one, other in material.relations:
        if one != other:
            a, b = first + one, first + other
            held = graph.get_edge_data(a, b, {"weight": 0.0})["weight"]
            graph.add_edge(a, b, weight=held + RELATED)
    return graph


def _mentioned(material: Material) -> list[tuple[int, int, float]]:
    """Mentions with the name's rarity, ln(1 + p / df) / ln(1 + p) in (0, 1]."""
    counts: dict[int, int] = {}
    for name, _ in material.mentions:
        counts[name] = counts.get(name, 0) + 1
    total = math.log1p(material.passages)
    return [
        (name, passage, math.log1p(material.passages / counts[name]) / total)
        for name, passage in material.mentions
    ]


def centred(vectors: Vectors, languages: Sequence[str]) -> Vectors:
    """Unit rows less the mean of their language: else passages of one language would be one theme."""
    made = np.array(vectors, dtype=np.float32)
    held = np.linalg.norm(made, axis=1) > 0
    tongue = np.array(languages)
    for language in sorted(set(languages)):
        rows = held & (tongue == language)
        # A single passage less its own mean would be nothing.
        if rows.sum() > 1:
            made[rows] -= made[rows].mean(axis=0)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    unit: Vectors = np.divide(made, lengths, out=np.zeros_like(made), where=lengths > 1e-6)
    return unit


def neighbours(unit: Vectors) -> list[tuple[int, int, float]]:
    """(i, j, cosine) with i < j for each row's nearest others, those above LEAST_COSINE."""
    size = len(unit)
    others = np.arange(size)
    if size > MOST_COMPARED:
        others = np.sort(
            np.random.default_rng(SEED).choice(size, MOST_COMPARED, replace=False)
        ).astype(others.dtype)
    compared = unit[others]
    kept = min(NEIGHBOURS, max(1, size // 3), max(0, len(others) - 1))
    found: dict[tuple[int, int], float] = {}
    for start in range(0, size if kept else 0, ROWS_AT_ONCE):
        cosines = unit[start : start + ROWS_AT_ONCE] @ compared.T
        rows = np.arange(start, start + len(cosines))
        cosines[rows[:, None] == others[None, :]] = -1.0
        nearest = np.argpartition(-cosines, kept - 1, axis=1)[:, :kept]
        for row, columns in zip(rows.tolist(), nearest, strict=True):
            for column in columns.tolist():
                cosine = float(cosines[row - start, column])
                if cosine > LEAST_COSINE:
                    other = int(others[column])
                    found[min(row, other), max(row, other)] = cosine
    return [(one, other, cosine) for (one, other), cosine in found.items()]
