"""A part of a message that asks for an overview: recognised by its words and told by themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import translation

from retrieval.entity_local import entity_read
from retrieval.overview_cues import OVERVIEW, overview_asked
from retrieval.themes import Reader, themes_read
from retrieval.values import Part
from routing.values import GRAPH, Decision, Evidence
from telemetry.names import SpanName
from telemetry.spans import span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from routing.values import Clause
    from teams.models import User, Workspace


def overview_part(
    workspace: Workspace, user: User, clause: Clause, vector: NDArray[np.float32], language: str
) -> Part | None:
    """The clause with the themes that answer it, in the rights of `user`; None when it asks otherwise.

    `vector` is (d,) with unit length. The decision names the phrase that asks for an overview.
    """
    asked = overview_asked(clause.text)
    if asked is None:
        return None
    reader = Reader(workspace, user, vector, language)
    with translation.override("pt" if language == "pt" else "en"):
        about = entity_read(reader, asked.topic) if asked.named else None
    if about is None and asked.only:
        return None
    decision = Decision(
        route=GRAPH,
        stage=OVERVIEW,
        scores=(),
        margin=0.0,
        revision=0,
        reason=f"“{asked.cue}” asks for an overview"
        + (f" of “{asked.topic}”" if asked.topic else ""),
        evidence=(Evidence(GRAPH, 1.0, (f"“{asked.cue}”",)),),
    )
    with (
        translation.override("pt" if language == "pt" else "en"),
        span(SpanName.RETRIEVE_THEMES) as current,
    ):
        found = about or themes_read(reader, asked.topic)
        current.set(hits=len(found.hits), themes=len(found.themes), topic=asked.topic)
    return Part(clause, language, decision, found)
