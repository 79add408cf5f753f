"""Entities that are one thing become one node of the graph as it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus.models import EntityAlias
from engines.language import words

if TYPE_CHECKING:
    from teams.models import Workspace

Rows = list[tuple[Any, ...]]


def merges_said(workspace: Workspace) -> str:
    """What a copy of the graph, or an answer from it, depends on beside the versions; "" without merges."""
    rows = _merges(workspace)
    return repr(rows) if rows else ""


def collapsed(
    workspace: Workspace, entities: list[dict[str, Any]], relations: Rows, mentioned: Rows
) -> tuple[list[dict[str, Any]], Rows, Rows, list[tuple[str, int]]]:
    """The graph's rows with each alias replaced by its canonical entity, and the aliases' folded names
    with the key of the entity they lead to.

    Only pairs of which both stand in `entities`, what the reader may see, are taken: nothing of a name
    that is not readable shows, not even that two others are the same by it.
    """
    seen = {row["pk"] for row in entities}
    to = {alias: one for alias, one in _merges(workspace) if alias in seen and one in seen}
    if not to:
        return entities, relations, mentioned, []
    end = {row["pk"]: _end(row["pk"], to) for row in entities}
    linked = [(end[row[0]], row[1], end[row[2]], *row[3:]) for row in relations]
    kept = [row for row in linked if row[0] != row[2]]
    named = list(dict.fromkeys((end[entity], chunk) for entity, chunk in mentioned))
    also = [(row["folded"], end[row["pk"]]) for row in entities if end[row["pk"]] != row["pk"]]
    return [row for row in entities if end[row["pk"]] == row["pk"]], kept, list(named), also


def found_by(
    holding: dict[str, tuple[int, ...]], also: list[tuple[str, int]], place: dict[int, int]
) -> dict[str, tuple[int, ...]]:
    """`holding` with the words of the aliases' names."""
    for name, pk in also:
        for token in words(name):
            held = holding.get(token, ())
            if place[pk] not in held:
                holding[token] = (*held, place[pk])
    return holding


def _end(key: int, to: dict[int, int]) -> int:
    """Where the pointers from `key` lead; a ring, which people can make, ends at its smallest key."""
    walked = [key]
    while walked[-1] in to:
        following = to[walked[-1]]
        if following in walked:
            return min(walked[walked.index(following) :])
        walked.append(following)
    return walked[-1]


def _merges(workspace: Workspace) -> list[tuple[int, int]]:
    rows = EntityAlias.objects.in_workspace(workspace).filter(state=EntityAlias.State.MERGED)
    return list(rows.order_by("pk").values_list("entity_id", "canonical_id"))
