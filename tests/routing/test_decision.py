from __future__ import annotations

import numpy as np

from routing.decision import decide, override
from routing.evidence import combine
from routing.tabularity import tabularity
from routing.values import GRAPH, RELATIONAL, VECTORIAL, AnchorSet, Bounds, Evidence

BOUNDS = Bounds(tau_high=0.5, tau_low=0.4, delta=0.2)


def anchors() -> AnchorSet:
    return AnchorSet.of(
        np.eye(3, dtype=np.float32), (RELATIONAL, VECTORIAL, GRAPH), ("how many", "how", "who"), 7
    )


def unit(*values: float) -> np.ndarray:
    vector = np.asarray(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def test_a_clear_margin_is_taken_by_cosine() -> None:
    decision = decide(unit(0.1, 0.2, 1), "?", anchors(), BOUNDS)

    assert (decision.route, decision.stage, decision.revision) == (GRAPH, "cosine", 7)
    assert decision.scores[0].anchor == "who"
    assert abs(decision.margin - (decision.scores[0].score - decision.scores[1].score)) < 1e-6


def test_far_from_every_anchor_falls_back_to_text() -> None:
    far = AnchorSet.of(np.eye(4, dtype=np.float32)[:3], anchors().routes, anchors().texts, 1)
    decision = decide(unit(0.1, 0, 0, 1), "?", far, BOUNDS)

    assert (decision.route, decision.stage) == (VECTORIAL, "fallback")


def test_a_small_margin_asks_for_evidence_and_follows_it() -> None:
    asked = []

    def evidence() -> tuple[Evidence, ...]:
        asked.append(True)
        return (Evidence(RELATIONAL, 1.0, ("total",)),)

    decision = decide(unit(1, 1, 1.02), "?", anchors(), BOUNDS, evidence=evidence)

    assert (decision.route, decision.stage, asked) == (RELATIONAL, "evidence", [True])
    assert "total" in decision.reason


def test_evidence_is_not_asked_when_the_margin_is_clear() -> None:
    def evidence() -> tuple[Evidence, ...]:
        raise AssertionError("asked")

    decide(unit(0, 0.1, 1), "?", anchors(), BOUNDS, evidence=evidence)


def test_without_evidence_the_gray_zone_takes_the_best_cosine() -> None:
    assert decide(unit(1, 1, 1.02), "?", anchors(), BOUNDS).route == GRAPH


def test_rows_of_a_table_never_reach_the_text_store() -> None:
    rows = "nome | valor\nA | 1 | 2\nB | 3 | 4\nC | 5 | 6"

    assert (
        decide(unit(0, 1, 0), "?", anchors(), BOUNDS, tabularity=tabularity(rows)).route
        == RELATIONAL
    )


def test_no_anchor_is_no_error() -> None:
    none = AnchorSet.of(np.zeros((0, 3), dtype=np.float32), (), (), 1)

    assert decide(unit(1, 0, 0), "?", none, BOUNDS).route == VECTORIAL


def test_a_route_chosen_by_hand_says_so() -> None:
    assert override(GRAPH, 3).stage == "override"


def test_cues_and_held_names_speak_for_their_route() -> None:
    found = {
        item.route: item
        for item in combine("Quantos clientes há no Norte?", [(RELATIONAL, "Norte")])
    }

    assert found[RELATIONAL].score > found[VECTORIAL].score
    assert {"quantos", "Norte"} <= set(found[RELATIONAL].terms)


def test_a_name_that_every_store_holds_speaks_for_none() -> None:
    held = [(route, "Norte") for route in (RELATIONAL, VECTORIAL, GRAPH)]

    assert {item.score for item in combine("Norte", held)} == {0.0}
