"""The decision when a person, not the router, says where a question goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from routing.decision import override, route_scores
from routing.services import anchors_in_force
from routing.values import VECTORIAL, Decision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from retrieval.options import Options
    from teams.models import Workspace

BY_FILTER = "filter"


def route_chosen(
    options: Options, *, workspace: Workspace, text: str, vector: NDArray[np.float32]
) -> Decision | None:
    """The decision when a route was named or filters are set; None leaves it to the router.

    Filters hold for the text store, so with filters and no route the text is searched. The scores
    are kept beside it: they say what the router saw. `vector` is (d,) with unit length, of `text`.
    """
    if options.route is None and not options.filters:
        return None
    anchors = anchors_in_force(workspace)
    made = override(options.route or VECTORIAL, anchors.revision)
    if options.route is None:
        reason = "filters are set, and they hold for the text store alone"
        made = replace(made, stage=BY_FILTER, reason=reason)
    scores = route_scores(vector, text, anchors)
    margin = scores[0].score - scores[1].score if len(scores) > 1 else made.margin
    return replace(made, scores=scores, margin=margin)
