"""What the page of names shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from corpus.models import EntityAlias, Mention
from corpus.selectors import chunks_live
from engines.language import fold
from teams.access import Right

if TYPE_CHECKING:
    from collections.abc import Iterable

    from teams.models import User, Workspace

REASONS = {
    "same": _("the same without title, legal form and punctuation"),
    "acronym": _("a text gives the short form in brackets"),
    "part": _("the last part of one longer name"),
    "initials": _("initials of one longer name"),
}
LONGEST = 220


@dataclass(frozen=True, slots=True)
class AliasRow:
    """A pair of names with a passage that the reader may see for each."""

    alias: EntityAlias
    reason: Any
    percent: int
    examples: tuple[str, str]


def aliases_listed(workspace: Workspace, user: User, *, state: str, said: str) -> Any:
    """Pairs that `user` may curate and of which a passage that they may see names both; undecided first
    by score. `state` and `said` (a part of either name) narrow the list when they are not empty."""
    read = Mention.objects.filter(chunk__in=chunks_live(workspace, user)).values("entity")
    rows = EntityAlias.objects.visible_to(user, Right.CURATE).in_workspace(workspace)
    rows = rows.filter(entity__in=read, canonical__in=read)
    if state:
        rows = rows.filter(state=state)
    if said:
        key = fold(said)
        rows = rows.filter(entity__folded__contains=key) | rows.filter(
            canonical__folded__contains=key
        )
    return rows.select_related("entity", "canonical", "decided_by").order_by(
        "-state", "-score", "pk"
    )


def alias_rows(workspace: Workspace, user: User, aliases: Iterable[EntityAlias]) -> list[AliasRow]:
    """The pairs as the page shows them; one query for the examples of all."""
    listed = list(aliases)
    keys = {key for row in listed for key in (row.entity_id, row.canonical_id)}
    named = Mention.objects.filter(entity__in=keys, chunk__in=chunks_live(workspace, user))
    first = named.order_by("entity_id", "chunk_id").distinct("entity_id")
    texts = dict(first.values_list("entity_id", "chunk__text"))
    return [
        AliasRow(
            row,
            REASONS.get(row.reason, row.reason),
            round(100 * row.score),
            (
                _example(texts.get(row.entity_id, ""), row.entity.name),
                _example(texts.get(row.canonical_id, ""), row.canonical.name),
            ),
        )
        for row in listed
    ]


def _example(text: str, name: str) -> str:
    """The line of `text` that holds the name, cut around it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = next((line for line in lines if fold(name) in fold(line)), " ".join(lines))
    at = max(0, fold(found).find(fold(name)) - LONGEST // 2)
    return found[at : at + LONGEST]
