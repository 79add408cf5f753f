"""Plain values of the routing arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELATIONAL, VECTORIAL, GRAPH = "relational", "vectorial", "graph"
ROUTES = (RELATIONAL, VECTORIAL, GRAPH)


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """Anchors in force. `matrix` is (n, d) float32 with unit rows; `routes[i]`, `texts[i]` name row i."""

    matrix: NDArray[np.float32]
    routes: tuple[str, ...]
    texts: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Thresholds of the cosine stage, all cosines in [-1, 1]."""

    tau_high: float
    tau_low: float
    delta: float


@dataclass(frozen=True, slots=True)
class RouteScore:
    """The best anchor of one route and its cosine with the text."""

    route: str
    score: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one store is known to hold of the words asked for. `score` is in [0, 1]."""

    route: str
    score: float
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether a store could answer the question as it stands, and what it made of it.

    `answers` is None when the store cannot tell.
    """

    answers: bool | None
    said: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a text goes and why. `stage` is heuristic, cosine, evidence, fallback or override."""

    route: str
    stage: str
    scores: tuple[RouteScore, ...]
    margin: float
    revision: int
    reason: str
    evidence: tuple[Evidence, ...] = field(default=())
    near: bool = False

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
