from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval import ppr
from retrieval.ppr import graph_of_arrays, personalized_pagerank, walk_graph

PATH = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 1.0)]


def test_what_lies_nearer_to_the_seed_scores_more() -> None:
    scores = personalized_pagerank(PATH, {"a": 1.0})

    assert scores["b"] > scores["c"] > scores["d"] > 0
    assert sum(scores.values()) == pytest.approx(1.0)


def test_two_nodes_solve_by_hand() -> None:
    # a = 0.15 + 0.85 b and b = 0.85 a
    scores = personalized_pagerank([("a", "b", 1.0)], {"a": 1.0})

    assert scores["a"] == pytest.approx(0.15 / (1 - 0.85**2), abs=1e-4)


def test_a_heavier_edge_carries_more() -> None:
    scores = personalized_pagerank([("a", "b", 3.0), ("a", "c", 1.0)], {"a": 1.0})

    assert scores["b"] == pytest.approx(3 * scores["c"], rel=1e-3)


def test_the_weight_of_a_seed_counts() -> None:
    scores = personalized_pagerank(PATH, {"a": 0.1, "d": 0.9})

    assert scores["c"] > scores["b"]


def test_without_a_seed_in_the_graph_there_are_no_scores() -> None:
    assert personalized_pagerank(PATH, {"x": 1.0}) == {}
    assert personalized_pagerank(PATH, {"a": 0.0}) == {}
    assert personalized_pagerank([], {"a": 1.0}) == {}


def test_a_part_that_no_edge_joins_to_the_seed_gets_nothing() -> None:
    scores = personalized_pagerank([*PATH, ("x", "y", 1.0)], {"a": 1.0})

    assert scores["x"] == scores["y"] == 0.0


def test_repeated_edges_add_up_and_loops_are_left_out() -> None:
    graph = walk_graph([("a", "b", 1.0), ("b", "a", 2.0), ("a", "a", 5.0), ("a", "c", 0.0)])

    assert graph.weight("a", "b") == graph.weight("b", "a") == 3.0
    assert graph.number_of_edges() == 1
    assert len(graph) == 2


ENDS = st.integers(0, 12)
EDGES = st.lists(st.tuples(ENDS, ENDS, st.floats(0.1, 9)), min_size=1, max_size=40)


@settings(deadline=None, max_examples=60)
@given(EDGES, st.dictionaries(ENDS, st.floats(0.1, 5), min_size=1))
def test_any_small_graph_scores_as_networkx_scores_it(
    edges: list[tuple[int, int, float]], seeds: dict[int, float]
) -> None:
    scores = personalized_pagerank(edges, seeds)

    theirs = _theirs(edges, seeds)
    assert set(scores) == set(theirs)
    assert all(scores[node] == pytest.approx(theirs[node], abs=1e-6) for node in theirs)


def _theirs(edges: list[tuple[int, int, float]], seeds: dict[int, float]) -> dict[int, float]:
    graph = nx.Graph()
    for left, right, weight in edges:
        if left != right:
            held = graph.get_edge_data(left, right, {"weight": 0.0})["weight"]
            graph.add_edge(left, right, weight=held + weight)
    known = {node: weight for node, weight in seeds.items() if node in graph}
    if not known:
        return {}
    found: dict[int, float] = nx.pagerank(
        graph, alpha=ppr.DAMPING, personalization=known, nstart=known, tol=1e-12, max_iter=2000
    )
    return found


def test_a_large_graph_is_walked_near_the_seeds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [(i, i + 1, 1.0) for i in range(400)]
    monkeypatch.setattr(ppr, "WHOLE", 5)

    scores = personalized_pagerank(edges, {0: 1.0})

    assert set(range(10)) <= set(scores) <= set(range(100))


def test_the_walk_near_the_seeds_ranks_as_the_whole_walk_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = np.random.default_rng(5)
    left, right = made.integers(0, 6_000, (2, 30_000))
    left, right = left[left != right], right[left != right]
    weight = made.integers(1, 4, left.size).astype(float)
    nodes = range(6_000)
    graph = graph_of_arrays(nodes, {i: i for i in nodes}, left, right, weight)
    seeds = {10: 1.0, 2_000: 0.5, 4_000: 0.25}

    near = personalized_pagerank(graph, seeds)
    monkeypatch.setattr(ppr, "WHOLE", 10_000)
    whole = personalized_pagerank(graph, seeds)

    top = [sorted(found, key=found.__getitem__, reverse=True)[:20] for found in (near, whole)]
    assert top[0] == top[1]
