from __future__ import annotations

import networkx as nx
import pytest

from retrieval import ppr
from retrieval.ppr import personalized_pagerank, walk_graph

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

    assert graph["a"]["b"]["weight"] == 3.0
    assert graph.number_of_edges() == 1


def test_a_large_graph_is_walked_near_the_seeds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppr, "WHOLE", 5)
    edges = [(i, i + 1, 1.0) for i in range(9)]

    scores = personalized_pagerank(edges, {0: 1.0})

    assert set(scores) == {0, 1, 2, 3}
    assert isinstance(walk_graph(edges), nx.Graph)
