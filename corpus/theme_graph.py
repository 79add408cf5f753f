"""Which passages belong together: the graph of names and passages, and its communities. Pure.

Passages are joined to their nearest by words and meaning (`theme_matrix`); a mention joins a rare name to
its passage, and a relation the passages of its two names. Louvain's method (Blondel et al. 2008) finds
the communities of the whole, and once more those inside a large one.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.theme_matrix import SEED, centred, neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray

# What a name counts beside the likeness of two passages. A name in more than this share of the
# passages (or in more than a few, in a small corpus) is where things happen, not what they are.
NAMED, RELATED = 0.3, 0.3
WIDESPREAD, FEW = 0.03, 6
# A theme of more passages is divided once more.
DIVIDED_ABOVE, SMALLEST_PART = 16, 3
# A smaller group joins the theme that it is nearest to.
SPLINTER = 3
# Above 1: more and smaller themes. What is put together wrongly is worse than what is apart.
RESOLUTION = 1.3


@dataclass(frozen=True, slots=True)
class Material:
    """What themes are found in, by position: passages, and names counted from 0.

    `vectors` is (p, d) with unit rows, zeros where a passage has no vector of the embedder in force;
    `matrix` (p, v) sparse, as `words_matrix` gives it; `languages[i]` is that of passage i.
    `mentions` are (name, passage), `relations` (name, name).
    """

    vectors: NDArray[np.float32]
    matrix: Any
    languages: tuple[str, ...]
    names: int = 0
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
    for nodes in _joined(graph, _communities(graph, RESOLUTION), material.passages):
        members = tuple(sorted(node for node in nodes if node < material.passages))
        if members:
            found.append(Group(members, _parts(graph, nodes, members, material.passages)))
    return sorted(found, key=_first)


def _first(group: Group) -> tuple[int, tuple[int, ...]]:
    return -len(group.members), group.members


def _joined(graph: nx.Graph, found: Sequence[set[int]], passages: int) -> list[set[int]]:
    """Splinters go to the community that they are tied to most; those tied to none stay."""
    sizes = [sum(node < passages for node in nodes) for nodes in found]
    home = {node: number for number, nodes in enumerate(found) for node in nodes}
    joined = [set(nodes) for nodes in found]
    for number in sorted(range(len(found)), key=lambda n: (sizes[n], min(found[n]))):
        if sizes[number] >= SPLINTER:
            break
        pull: Counter[int] = Counter()
        for node in sorted(joined[number]):
            for other, data in graph[node].items():
                if home[other] != number:
                    pull[home[other]] += data["weight"]
        if pull:
            target = min(pull, key=lambda one: (-pull[one], one))
            joined[target] |= joined[number]
            sizes[target] += sizes[number]
            home |= dict.fromkeys(joined[number], target)
            joined[number] = set()
    return [nodes for nodes in joined if nodes]


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


def _communities(graph: nx.Graph, resolution: float = 1.0) -> list[set[int]]:
    import networkx as nx

    # A subgraph gives its nodes in no fixed order, and Louvain's result hangs on the order.
    ordered = nx.Graph()
    ordered.add_nodes_from(sorted(graph))
    edges = ((min(a, b), max(a, b), weight) for a, b, weight in graph.edges(data="weight"))
    ordered.add_weighted_edges_from(sorted(edges))
    found: list[set[int]] = nx.community.louvain_communities(
        ordered, seed=SEED, resolution=resolution
    )
    return found


def theme_graph(material: Material) -> nx.Graph:
    """Passage i is node i, name j is node passages + j."""
    import networkx as nx

    first = material.passages
    graph = nx.Graph()
    graph.add_nodes_from(range(first))
    unit = centred(material.vectors, material.languages)
    ones, twos, likes = neighbours(unit, material.matrix)
    graph.add_weighted_edges_from(zip(ones.tolist(), twos.tolist(), likes.tolist(), strict=True))
    rarity = _rarity(material)
    for name, passage in material.mentions:
        if name in rarity:
            graph.add_edge(first + name, passage, weight=NAMED * rarity[name])
    for one, other in material.relations:
        if one != other and one in rarity and other in rarity:
            a, b = first + one, first + other
            held = graph.get_edge_data(a, b, {"weight": 0.0})["weight"]
            graph.add_edge(a, b, weight=min(1.0, held + RELATED))
    return graph


def _rarity(material: Material) -> dict[int, float]:
    """ln(p / df) / ln(p), in [0, 1], of the names that are in few passages."""
    counts = Counter(name for name, _ in material.mentions)
    most = max(FEW, WIDESPREAD * material.passages)
    total = math.log(max(2, material.passages))
    return {
        name: math.log(max(1.0, material.passages / df)) / total
        for name, df in counts.items()
        if df <= most
    }
