"""Reads of the themes, within what a person may read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus.models import CommunityChunk, Document, ThemesState
from corpus.selectors import chunks_live

if TYPE_CHECKING:
    from teams.models import User, Workspace


def theme_chunks(workspace: Workspace, user: User) -> Any:
    """Places in themes of the passages in `workspace` that `user` may read now; of nothing else."""
    rows = CommunityChunk.objects.visible_to(user).filter(community__workspace=workspace)
    return rows.filter(chunk__in=chunks_live(workspace, user))


def documents_changed(workspace: Workspace, user: User) -> int:
    """How many documents came, changed or went since the themes were made, of those `user` may read.

    Of a deleted document nothing tells who could read it, so it counts only for those who may read
    every document that is here.
    """
    state = ThemesState.objects.visible_to(user).filter(workspace=workspace).first()
    if state is None:
        return 0
    every = Document.objects.in_workspace(workspace)
    mine = dict(every.visible_to(user).values_list("pk", "current"))
    held = {str(pk): current and str(current) for pk, current in mine.items()}
    changed: int = sum(current != state.versions.get(pk) for pk, current in held.items())
    rows = {str(pk) for pk in every.values_list("pk", flat=True)}
    if len(rows) == len(held):
        changed += len(state.versions.keys() - rows)
    return changed
