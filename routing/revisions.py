"""Revisions: the anchors and thresholds as they stood, kept whole so that they can be brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q

from engines.registry import embedder
from routing.changes import AnchorDraft, Change
from routing.models import Anchor, Revision, Thresholds
from routing.values import Bounds

if TYPE_CHECKING:
    import uuid

    from teams.models import User, Workspace


def scope_anchors(workspace_id: uuid.UUID | None) -> list[tuple[int, AnchorDraft]]:
    """The anchors of one scope by their keys, as they stand."""
    held = Q(workspace_id=workspace_id) if workspace_id else Q(workspace=None)
    rows = Anchor.objects.filter(held).order_by("pk")
    return [(row.pk, AnchorDraft(row.route_id, row.language, row.text, row.active)) for row in rows]


@transaction.atomic
def revision_create(
    *,
    author: User | None,
    reason: str,
    workspace_id: uuid.UUID | None = None,
    changes: dict[str, Any] | None = None,
    restores: int | None = None,
) -> Revision:
    """Record the anchors and thresholds as they stand now. Later decisions name this revision."""
    anchors = Anchor.objects.values(
        "route_id", "language", "text", "active", "workspace_id", "workspace__slug"
    )
    bounds = Thresholds.objects.order_by("pk").values(
        "embedder", "tau_high", "tau_low", "delta", "workspace_id"
    )
    snapshot = {"anchors": _plain(anchors), "thresholds": _plain(bounds)}
    return Revision.objects.create(
        author=author,
        reason=reason.strip()[:300],
        snapshot=snapshot,
        workspace_id=workspace_id,
        changes=changes or {},
        restores_id=restores,
    )


def _plain(rows: Any) -> list[dict[str, Any]]:
    made = [dict(row) for row in rows]
    for row in made:
        row["workspace_id"] = str(row["workspace_id"]) if row["workspace_id"] else None
    return made


def change_restoring(revision: Revision, workspace: Workspace | None) -> Change:
    """The change that makes the anchors and bounds of a scope what they were under `revision`.

    Bounds of the embedder in use alone; those of others rule nothing.
    """
    scope = workspace.pk if workspace else None
    held = {}
    for row in revision.snapshot.get("anchors", []):
        if _in_scope(row, workspace):
            draft = AnchorDraft(row["route_id"], row["language"], row["text"], row["active"])
            held[draft.route, draft.text] = draft
    put: list[tuple[int | None, AnchorDraft]] = []
    remove = []
    for key, draft in scope_anchors(scope):
        wanted = held.pop((draft.route, draft.text), None)
        if wanted is None:
            remove.append(key)
        elif wanted != draft:
            put.append((key, wanted))
    put += [(None, draft) for draft in held.values()]
    bounds, dropped = _bounds_restoring(revision, workspace)
    return Change(scope, tuple(put), tuple(remove), bounds, dropped, revision.pk)


def _in_scope(row: dict[str, Any], workspace: Workspace | None) -> bool:
    """Snapshots of before the workspaces' keys were kept name them by their slug."""
    if "workspace_id" in row:
        return bool(row["workspace_id"] == (str(workspace.pk) if workspace else None))
    return bool(row.get("workspace__slug") == (workspace.slug if workspace else None))


def _bounds_restoring(
    revision: Revision, workspace: Workspace | None
) -> tuple[Bounds | None, bool]:
    identity = str(embedder().identity)
    scoped = [
        row
        for row in revision.snapshot.get("thresholds", [])
        if row["embedder"] == identity and _in_scope(row, workspace)
    ]
    now = Thresholds.objects.filter(embedder=identity, workspace=workspace).first()
    if not scoped:
        return None, now is not None
    # Old snapshots hold the newest first, those with a workspace's key the newest last.
    row = scoped[-1] if "workspace_id" in scoped[-1] else scoped[0]
    wanted = Bounds(row["tau_high"], row["tau_low"], row["delta"])
    same = now is not None and Bounds(now.tau_high, now.tau_low, now.delta) == wanted
    return (None if same else wanted), False
