"""Entities that are one thing become one node of the graph as it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus.name_merges import merges
from engines.language import words

if TYPE_CHECKING:
    from teams.models import Workspace

Rows = list[tuple[Any, ...]]


def collapsed(
    workspace: Workspace, entities: list[dict[str, Any]], relations: Rows, mentioned: Rows
) -> tuple[list[dict[str, Any]], Rows, Rows, list[tuple[str, int]]]:
    """The graph's rows with each alias replaced by its canonical entity, and the aliases' folded names
    with the key of the entity they lead to.

    Only pairs of which both stand in `entities`, what the reader may see, are taken: nothing of a name
    that is not readable shows, not even that two others are the same by it.
    """
    seen = {row["pk"] for row in entities}
    merged = merges(workspace.pk, among=seen)
    if not merged:
        return entities, relations, mentioned, []
    end = {key: merged.get(key, key) for key in seen}
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
