"""Plain values of the routing arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from routing.scorer import scorer_fit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from routing.scorer import Scorer

RELATIONAL, VECTORIAL, GRAPH = "relational", "vectorial", "graph"
ROUTES = (RELATIONAL, VECTORIAL, GRAPH)


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """Anchors in force. `matrix` is (n, d) float32 with unit rows; `routes[i]`, `texts[i]` name row i.

    `scorer` is fitted to them; None without an anchor.
    """

    matrix: NDArray[np.float32]
    routes: tuple[str, ...]
    texts: tuple[str, ...]
    revision: int
    scorer: Scorer | None

    @classmethod
    def of(
        cls,
        matrix: NDArray[np.float32],
        routes: tuple[str, ...],
        texts: tuple[str, ...],
        revision: int,
    ) -> AnchorSet:
        scorer = scorer_fit(matrix, routes, texts) if routes else None
        return cls(matrix, routes, texts, revision, scorer)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Thresholds of the second stage: `tau_high` and `delta` of scores and their margin, `tau_low` of the
    cosine with the nearest anchor, in [-1, 1]."""

    tau_high: float
    tau_low: float
    delta: float


@dataclass(frozen=True, slots=True)
class RouteScore:
    """A route's score (an anchor of the route itself has about 1, one of another about 0), the anchor that
    adds most to it, and the cosine with the route's nearest anchor."""

    route: str
    score: float
    anchor: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the question's words and one store say for it. `score` is in [0, 1]; `cue` is the part of it that
    the words alone say, which the anchors have mostly told already."""

    route: str
    score: float
    terms: tuple[str, ...] = ()
    cue: float = 0.0


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether a store could answer the question as it stands, and what it made of it.

    `answers` is None when the store cannot tell; where it cannot answer, `known` is the share of the
    question's words that it knows, in [0, 1].
    """

    answers: bool | None
    said: str
    known: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a text goes and why. `stage` is heuristic, cosine, evidence, fallback, override or filter."""

    route: str
    stage: str
    scores: tuple[RouteScore, ...]
    margin: float
    revision: int
    reason: str
    evidence: tuple[Evidence, ...] = field(default=())
    near: bool = False

    @property
    def nearest_cosine(self) -> float:
        """The cosine with the nearest anchor of any route."""
        return max((score.cosine for score in self.scores), default=0.0)

    @property
    def top_score(self) -> float:
        return self.scores[0].score if self.scores else 0.0


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a message, with the text that is routed and searched."""

    position: int
    text: str
    said: str


@dataclass(frozen=True, slots=True)
class TermDraft:
    """A name that a store holds, before it is stored. `kind` is one of StoreTerm.Kind."""

    route: str
    kind: str
    text: str
