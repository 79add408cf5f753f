"""Passages that a cut has left incomplete, completed by the one before or after them.

A generator that reads half a sentence, or the words "the following:" without what follows, answers from
half of what was written. Only what it is given grows: what was found, its place and its marker stay.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from django.db.models import Q

from corpus.selectors import chunks_live

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.values import Hit
    from teams.models import User, Workspace

COMPLETED = frozenset({"paragraph", "list"})
ENDS = (".", "!", "?", "…", ";", ".”", '."', "”", '"', ")", "»")


def wants_before(text: str) -> bool:
    """Whether a passage begins in the middle of a sentence."""
    start = text.lstrip(" \n\t“\"'«(")
    return bool(start) and start[0].islower()


def wants_after(text: str) -> bool:
    """Whether a passage ends in the middle of a sentence, or announces what follows it."""
    end = text.rstrip()
    return bool(end) and not end.endswith(ENDS)


def completed(workspace: Workspace, user: User, hits: Sequence[Hit], most: int) -> tuple[Hit, ...]:
    """`hits`, the first `most` of which have around them what completes them, as `user` may read it.

    A neighbour is of the same version and under the same heading. Two queries at most, none where every
    passage is whole.
    """
    open_ones = [
        hit
        for hit in hits[:most]
        if hit.block in COMPLETED and (wants_before(hit.text) or wants_after(hit.text))
    ]
    if not open_ones:
        return tuple(hits)
    live = chunks_live(workspace, user)
    keys = [uuid.UUID(hit.chunk_id) for hit in open_ones]
    held = {
        str(pk): (version, position)
        for pk, version, position in live.filter(pk__in=keys).values_list(
            "pk", "version_id", "position"
        )
    }
    wanted = Q()
    for version, position in held.values():
        wanted |= Q(version_id=version, position__in=(position - 1, position + 1))
    near = {}
    if held:
        rows = live.filter(wanted).values_list("version_id", "position", "heading_path", "text")
        near = {(version, at): (heading, text) for version, at, heading, text in rows}
    return tuple(_completed(hit, held.get(hit.chunk_id), near) for hit in hits)


def _completed(
    hit: Hit,
    place: tuple[uuid.UUID, int] | None,
    near: dict[tuple[uuid.UUID, int], tuple[str, str]],
) -> Hit:
    if place is None:
        return hit
    version, position = place

    def beside(step: int) -> str:
        heading, text = near.get((version, position + step), ("", ""))
        return text.strip() if heading == hit.heading_path else ""

    before = beside(-1) if wants_before(hit.text) else ""
    after = beside(1) if wants_after(hit.text) else ""
    return replace(hit, around=(before, after)) if before or after else hit
