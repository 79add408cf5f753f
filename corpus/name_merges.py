"""One thing under several names is one name: where each merged name leads, for the graph and for themes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from corpus.models import EntityAlias

if TYPE_CHECKING:
    import uuid
    from collections.abc import Container


def merges(workspace_id: uuid.UUID, among: Container[int] | None = None) -> dict[int, int]:
    """The entity that each merged one is another name of, by keys, chains followed.

    A ring, which people can make, ends at its smallest key. With `among` only pairs are followed of
    which both stand there, what a reader may see.
    """
    rows = EntityAlias.objects.filter(workspace=workspace_id, state=EntityAlias.State.MERGED)
    pairs = rows.order_by("pk").values_list("entity_id", "canonical_id")
    to = {one: end for one, end in pairs if among is None or (one in among and end in among)}
    return {key: _end(key, to) for key in to}


def merges_digest(workspace_id: uuid.UUID) -> str:
    """What a graph or themes depend on beside the versions; "" without merges."""
    found = sorted(merges(workspace_id).items())
    return hashlib.sha256(repr(found).encode()).hexdigest() if found else ""


def _end(key: int, to: dict[int, int]) -> int:
    walked = [key]
    while walked[-1] in to:
        following = to[walked[-1]]
        if following in walked:
            return min(walked[walked.index(following) :])
        walked.append(following)
    return walked[-1]
