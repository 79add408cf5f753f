"""Decisions that could as well have gone another way, as a pure function."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routing.values import Bounds, Decision


NEAR = 0.2


def near_boundary(decision: Decision, bounds: Bounds) -> bool:
    """Whether a small change of the anchors could move it: a margin below a fifth of `delta`.

    Below `delta` itself lies most of what is stored, since passages are no questions. What the shape of
    the text or a person decided lies near no boundary, nor does a text without two routes to choose
    between.
    """
    if decision.stage in ("heuristic", "override") or len(decision.scores) < 2:
        return False
    return decision.margin < bounds.delta * NEAR


def marked(decision: Decision, bounds: Bounds) -> Decision:
    """The decision with `near` set as `near_boundary` says."""
    return replace(decision, near=near_boundary(decision, bounds))
