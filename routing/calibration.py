"""Bounds of the cosine stage fitted on labelled questions, as plain arithmetic.

Risk-coverage curve: questions are taken by cosine in falling order of margin; coverage is the share taken and
risk the share of those that went wrong (El-Yaniv and Wiener, 2010).
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from statistics import pstdev
from typing import TYPE_CHECKING, Any

from routing.values import VECTORIAL, Bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

Z95 = 1.959964
POINTS = 60


@dataclass(frozen=True, slots=True)
class Measured:
    """One labelled question: its best score, the cosine with the nearest anchor, the margin, and whether
    each stage would have been right."""

    label: str
    score: float
    near: float
    margin: float
    cosine_right: bool
    gray_right: bool


@dataclass(frozen=True, slots=True)
class Point:
    """The cosine stage at one pair of bounds. `upper` is the 95 % Wilson bound of `risk`."""

    tau_high: float
    delta: float
    taken: int
    wrong: int
    coverage: float
    risk: float
    upper: float


def wilson_upper(wrong: int, taken: int, z: float = Z95) -> float:
    """Upper end of the two-sided Wilson score interval of `wrong` in `taken`; 1 when nothing was taken."""
    if not taken:
        return 1.0
    share, square = wrong / taken, z * z
    middle = share + square / (2 * taken)
    spread = z * (share * (1 - share) / taken + square / (4 * taken * taken)) ** 0.5
    return float(min(1.0, (middle + spread) / (1 + square / taken)))


def in_fit_half(key: str) -> bool:
    """Which half a question belongs to, by SHA-256 of its id, so that the halves never change."""
    return hashlib.sha256(key.encode()).digest()[-1] % 2 == 0


def point(rows: Sequence[Measured], tau_high: float, delta: float) -> Point:
    """What the cosine stage takes and gets wrong at these bounds."""
    taken = [row for row in rows if row.score >= tau_high and row.margin >= delta]
    wrong = sum(not row.cosine_right for row in taken)
    coverage = len(taken) / len(rows) if rows else 0.0
    risk = wrong / len(taken) if taken else 0.0
    return Point(
        tau_high, delta, len(taken), wrong, coverage, risk, wilson_upper(wrong, len(taken))
    )


def fit(rows: Sequence[Measured], risk: float) -> tuple[Bounds, tuple[Point, ...]]:
    """The bounds of largest coverage with a share of wrong ones of at most `risk`, and the curve there.

    Of pairs with the same coverage the one with fewer wrong, then the larger margin is taken. Raises
    ValueError for no rows or when not one question can be taken within the risk.
    """
    if not rows:
        raise ValueError("there is no labelled question to fit on")
    scores = sorted({_down(row.score) for row in rows})
    step = max(1, len(scores) // POINTS)
    deltas = sorted({_down(row.margin) for row in rows})
    best: Point | None = None
    for tau_high in scores[::step]:
        for delta in deltas:
            here = point(rows, tau_high, delta)
            if not here.taken or here.risk > risk:
                continue
            if best is None or _rank(here) > _rank(best):
                best = here
    if best is None:
        raise ValueError(f"no bounds keep the share of wrong routes at or below {risk}")
    curve = tuple(point(rows, best.tau_high, delta) for delta in deltas)
    return Bounds(best.tau_high, _tau_low(rows), best.delta), curve


def _rank(here: Point) -> tuple[float, ...]:
    return (here.taken, -here.wrong, here.delta, here.tau_high)


def _down(value: float) -> float:
    """Rounded down to 4 places, so that the question itself stays within the bound."""
    return float(int(value * 10_000)) / 10_000


def _tau_low(rows: Sequence[Measured]) -> float:
    """The highest cosine below which the text store is right as often as the later stages would be.

    Where even the farthest question is better off with them: one standard deviation below it.
    """
    ordered = sorted(rows, key=lambda row: row.near)
    found, text, gray = None, 0, 0
    for row in ordered:
        text += row.label == VECTORIAL
        gray += row.gray_right
        if text < gray:
            break
        found = row.near
    if found is None:
        found = ordered[0].near - pstdev(row.near for row in rows)
    return _down(found)


def accuracy(rows: Sequence[Measured], bounds: Bounds) -> float:
    """Share of questions that all three stages together send to their label."""
    if not rows:
        return 0.0
    right = 0
    for row in rows:
        if row.near < bounds.tau_low:
            right += row.label == VECTORIAL
        elif row.score >= bounds.tau_high and row.margin >= bounds.delta:
            right += row.cosine_right
        else:
            right += row.gray_right
    return right / len(rows)


def thinned(curve: Sequence[Point]) -> list[dict[str, Any]]:
    """At most POINTS points of the curve as rounded JSON, both ends kept."""
    step = max(1, -(-len(curve) // POINTS))
    kept = [*curve[:-1:step], curve[-1]] if curve else []
    return [
        {key: round(value, 4) if isinstance(value, float) else value for key, value in held.items()}
        for held in map(asdict, kept)
    ]
