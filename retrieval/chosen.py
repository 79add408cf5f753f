"""The decision when a person, not the router, says where a question goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.selectors import chunks_live
from routing.decision import override, route_scores
from routing.rules import anchors_in_force
from routing.values import GRAPH, VECTORIAL, Decision

if TYPE_CHECKING:
    import uuid

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.options import Options
    from teams.models import User, Workspace

BY_FILTER = "filter"


def route_chosen(
    options: Options, *, workspace: Workspace, text: str, vector: NDArray[np.float32]
) -> Decision | None:
    """The decision when a route was named or filters are set; None leaves it to the router.

    Documents narrow the tables as well as the text, so the router may choose between the two. Other
    filters hold for the text store, so with them and no route the text is searched. The scores are kept
    beside it: they say what the router saw. `vector` is (d,) with unit length, of `text`.
    """
    if options.route is None and (not options.filters or options.filters.documents_alone):
        return None
    anchors = anchors_in_force(workspace)
    made = override(options.route or VECTORIAL, anchors.revision)
    if options.route is None:
        reason = "filters are set, and they hold for the text store alone"
        made = replace(made, stage=BY_FILTER, reason=reason)
    scores = route_scores(vector, text, anchors)
    margin = scores[0].score - scores[1].score if len(scores) > 1 else made.margin
    return replace(made, scores=scores, margin=margin)


def documents_named(options: Options, workspace: Workspace, user: User) -> list[uuid.UUID] | None:
    """Keys of the documents that were named, of those that `user` may see; None when none were."""
    if not options.filters.documents_alone:
        return None
    held = options.filters.apply(chunks_live(workspace, user))
    return list(held.order_by().values_list("document_id", flat=True).distinct())


def narrowed(decision: Decision, options: Options) -> Decision:
    """The router's decision where documents were named: the graph cannot be narrowed, the text can."""
    if not options.filters or decision.route != GRAPH:
        return decision
    reason = "documents are named, and the graph cannot be restricted to them"
    return replace(decision, route=VECTORIAL, stage=BY_FILTER, reason=reason)
