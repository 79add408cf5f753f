from __future__ import annotations

import numpy as np
import pytest

from routing.decision import route_scores
from routing.scorer import grams, scorer_fit
from routing.values import GRAPH, RELATIONAL, VECTORIAL, AnchorSet

TEXTS = ("How many crates?", "How many kilns?", "How is clay fired?", "Who heads the plant?")
ROUTES = (RELATIONAL, RELATIONAL, VECTORIAL, GRAPH)


def unit(*values: float) -> np.ndarray:
    vector = np.asarray(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


MATRIX = np.stack([unit(1, 0.2, 0), unit(1, 0, 0.2), unit(0.1, 1, 0), unit(0, 0.1, 1)])


def test_an_anchor_scores_near_one_for_its_route_and_near_nothing_for_others() -> None:
    scorer = scorer_fit(MATRIX, ROUTES, TEXTS)

    for row, text, route in zip(MATRIX, TEXTS, ROUTES, strict=True):
        scores = dict(
            zip(scorer.routes, scorer.base + scorer.shares(row, text).sum(axis=0), strict=True)
        )
        assert max(scores, key=lambda name: scores[name]) == route
        assert scores[route] > 0.6
        assert sum(scores.values()) == pytest.approx(1.0)


def test_the_shares_of_the_anchors_add_up_to_the_score() -> None:
    anchors = AnchorSet.of(MATRIX, ROUTES, TEXTS, 1)
    assert anchors.scorer is not None
    told = anchors.scorer.shares(unit(1, 1, 0), "How many?").sum(axis=0) + anchors.scorer.base

    scores = {item.route: item.score for item in route_scores(unit(1, 1, 0), "How many?", anchors)}

    assert scores == pytest.approx(dict(zip(anchors.scorer.routes, told.tolist(), strict=True)))


def test_words_tell_apart_what_vectors_do_not() -> None:
    anchors = AnchorSet.of(MATRIX, ROUTES, TEXTS, 1)
    between = unit(1, 1, 0)

    assert route_scores(between, "How many tiles", anchors)[0].route == RELATIONAL
    assert route_scores(between, "How is it fired", anchors)[0].route == VECTORIAL


def test_the_anchor_shown_is_one_of_the_route_and_the_cosine_is_its_nearest() -> None:
    for item in route_scores(MATRIX[0], TEXTS[0], AnchorSet.of(MATRIX, ROUTES, TEXTS, 1)):
        own = [text for text, route in zip(TEXTS, ROUTES, strict=True) if route == item.route]
        near = max(
            float(row @ MATRIX[0])
            for row, route in zip(MATRIX, ROUTES, strict=True)
            if route == item.route
        )
        assert item.anchor in own
        assert item.cosine == pytest.approx(near)


def test_a_route_with_many_anchors_does_not_outweigh_one_with_few() -> None:
    texts = (*(f"count {n}" for n in range(30)), "who")
    matrix = np.stack([unit(1, 0.01 * n, 0) for n in range(30)] + [unit(0, 0, 1)])
    scorer = scorer_fit(matrix, (RELATIONAL,) * 30 + (GRAPH,), texts)

    assert scorer.base == pytest.approx([0.5, 0.5])
    scores = scorer.base + scorer.shares(unit(0.1, 0, 1), "who").sum(axis=0)
    assert scores[scorer.routes.index(GRAPH)] > 0.9


def test_one_route_alone_is_no_error() -> None:
    scores = route_scores(
        unit(1, 0), "x", AnchorSet.of(np.eye(2, dtype=np.float32), (GRAPH, GRAPH), ("a", "b"), 1)
    )

    assert [item.route for item in scores] == [GRAPH]


def test_accents_and_case_do_not_make_another_word() -> None:
    assert grams("Quantas PEÇAS há?") == grams("quantas pecas ha")
    assert "quantas pecas" in grams("Quantas peças")
