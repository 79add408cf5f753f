"""The routing decision as plain arithmetic: no row, no model, no clock.

Three stages (docs/architecture.md, "Routing"): heuristic, cosine with margin, store evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from routing.values import (
    GRAPH,
    RELATIONAL,
    ROUTES,
    VECTORIAL,
    AnchorSet,
    Bounds,
    Decision,
    Evidence,
    RouteScore,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

TABULAR = 0.5
# What evidence adds to a score of the second stage (docs/decisions/0008-scorer.md): the question's own
# words, which the anchors have mostly told already, and what the stores hold.
CUE_GAIN, HELD_GAIN = 0.4, 1.0


def route_scores(
    vector: NDArray[np.float32], text: str, anchors: AnchorSet
) -> tuple[RouteScore, ...]:
    """Every route's score by the scorer over the anchors, best route first.

    `vector` is (d,) with unit length, of `text`.
    """
    if anchors.scorer is None:
        return ()
    cosines, routes = anchors.matrix @ vector, np.asarray(anchors.routes)
    shares = anchors.scorer.shares(vector, text)
    found = []
    for column, route in enumerate(anchors.scorer.routes):
        own = routes == route
        score = float(anchors.scorer.base[column] + shares[:, column].sum())
        most = int(np.argmax(np.where(own, shares[:, column], -np.inf)))
        found.append(RouteScore(route, score, anchors.texts[most], float(cosines[own].max())))
    return tuple(sorted(found, key=lambda item: -item.score))


def decide(
    vector: NDArray[np.float32],
    text: str,
    anchors: AnchorSet,
    bounds: Bounds,
    *,
    tabularity: float = 0.0,
    evidence: Callable[[], tuple[Evidence, ...]] = tuple,
) -> Decision:
    """Where a text goes. `evidence` is asked in the gray zone only; its scores are in [0, 1]."""
    scores = route_scores(vector, text, anchors)
    margin = scores[0].score - scores[1].score if len(scores) > 1 else 1.0
    if tabularity >= TABULAR:
        reason = f"tabularity {tabularity:.2f} >= {TABULAR:.2f}"
        return Decision(RELATIONAL, "heuristic", scores, margin, anchors.revision, reason)
    if not scores:
        return Decision(VECTORIAL, "fallback", scores, 0.0, anchors.revision, "no anchor is active")
    near = max(score.cosine for score in scores)
    if near < bounds.tau_low:
        reason = f"best cosine {near:.3f} < {bounds.tau_low:.3f}: no route is near"
        return Decision(VECTORIAL, "fallback", scores, margin, anchors.revision, reason)
    top = scores[0]
    if top.score >= bounds.tau_high and margin >= bounds.delta:
        reason = (
            f"score {top.score:.3f} >= {bounds.tau_high:.3f} and margin {margin:.3f} >= "
            f"{bounds.delta:.3f}"
        )
        return Decision(top.route, "cosine", scores, margin, anchors.revision, reason)
    return _by_evidence(scores, margin, anchors.revision, evidence())


def _by_evidence(
    scores: tuple[RouteScore, ...],
    margin: float,
    revision: int,
    evidence: tuple[Evidence, ...],
) -> Decision:
    """The gray zone: score plus what the stores show, each route's sum compared."""
    shown = {item.route: item for item in evidence}
    sums = {
        score.route: score.score + (_gain(shown[score.route]) if score.route in shown else 0.0)
        for score in scores
    }
    route = max(sums, key=lambda name: (sums[name], -ROUTES.index(name) if name in ROUTES else 0))
    terms = shown[route].terms if route in shown else ()
    if any(item.score for item in evidence):
        reason = f"margin {margin:.3f} is small; evidence decides: " + ", ".join(
            f"{name} {value:.3f}" for name, value in sorted(sums.items(), key=lambda x: -x[1])
        )
        if terms:
            reason += " (" + ", ".join(terms[:5]) + ")"
        return Decision(route, "evidence", scores, margin, revision, reason, evidence)
    reason = f"margin {margin:.3f} is small and no store shows evidence: best score"
    return Decision(scores[0].route, "evidence", scores, margin, revision, reason, evidence)


def _gain(item: Evidence) -> float:
    return CUE_GAIN * item.cue + HELD_GAIN * (item.score - item.cue)


def override(route: str, revision: int) -> Decision:
    """The decision of a person who named the route."""
    return Decision(route, "override", (), 1.0, revision, "the route was chosen by hand")


__all__ = ["GRAPH", "RELATIONAL", "VECTORIAL", "decide", "override", "route_scores"]
