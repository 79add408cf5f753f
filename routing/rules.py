"""What decides: the anchors and bounds in force, and those that a change would bring."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import F, Q

from engines.registry import embedder
from routing.models import Anchor, Revision, Thresholds
from routing.values import AnchorSet, Bounds

if TYPE_CHECKING:
    import uuid
    from collections.abc import Sequence

    from teams.models import Workspace


@dataclass(frozen=True, slots=True)
class Rules:
    """Anchors and bounds that decide together."""

    anchors: AnchorSet
    bounds: Bounds


def revision_newest() -> int:
    """The number of the newest revision; 0 before the first."""
    return Revision.objects.values_list("pk", flat=True).first() or 0


def revision_serving(workspace: Workspace) -> int:
    """The newest revision that was about this workspace or all; another team's changes leave it alone."""
    rows = Revision.objects.filter(Q(workspace=None) | Q(workspace=workspace))
    return rows.values_list("pk", flat=True).first() or 0


def rules_in_force(workspace: Workspace) -> Rules:
    bounds = bounds_in_force(str(embedder().identity), workspace)
    return Rules(anchors_in_force(workspace), bounds)


def anchors_in_force(workspace: Workspace) -> AnchorSet:
    """Shared and own anchors of the workspace under the newest revision; one query when unchanged."""
    return _anchors(workspace.pk, str(embedder().identity), revision_newest())


@functools.lru_cache(maxsize=64)
def _anchors(workspace_id: uuid.UUID, identity: str, revision: int) -> AnchorSet:
    rows = anchor_rows(workspace_id)
    stale = vectors_fill(rows, identity)
    Anchor.objects.bulk_update(stale, ["vector", "embedder"])
    return anchor_set(rows, revision)


def anchor_rows(workspace_id: uuid.UUID) -> list[Anchor]:
    """The active anchors that serve a workspace: its own and the shared ones."""
    serving = Q(workspace=None) | Q(workspace_id=workspace_id)
    return list(Anchor.objects.filter(serving, active=True, route__enabled=True))


def vectors_fill(rows: Sequence[Anchor], identity: str) -> list[Anchor]:
    """Give each row a vector of this embedder, on the row alone; those that had none are returned."""
    stale = [row for row in rows if row.vector is None or row.embedder != identity]
    if stale:
        vectors = embedder().queries([row.text for row in stale])
        for row, vector in zip(stale, vectors, strict=True):
            row.vector, row.embedder = vector, identity
    return stale


def anchor_set(rows: Sequence[Anchor], revision: int) -> AnchorSet:
    """The set that `rows` make; every row has its vector."""
    matrix = np.zeros((0, embedder().identity.dimension), dtype=np.float32)
    if rows:
        matrix = np.vstack([np.asarray(row.vector, dtype=np.float32) for row in rows])
    routes = tuple(row.route_id for row in rows)
    return AnchorSet.of(matrix, routes, tuple(row.text for row in rows), revision)


def bounds_in_force(identity: str, workspace: Workspace | None = None) -> Bounds:
    """The newest thresholds of this embedder: the workspace's own, else the shared; the file's when none
    were fitted yet."""
    rows = Thresholds.objects.filter(embedder=identity)
    if workspace is None:
        rows = rows.filter(workspace=None)
    else:
        rows = rows.filter(Q(workspace=None) | Q(workspace=workspace))
    row = rows.order_by(F("workspace_id").asc(nulls_last=True), "-pk").first()
    if row is not None:
        return Bounds(row.tau_high, row.tau_low, row.delta)
    return bounds_default(identity)


def bounds_default(identity: str) -> Bounds:
    """The file's bounds, for an embedder that none were fitted to."""
    held = _default_bounds()
    return Bounds(**held.get(identity, held["default"]))


@functools.cache
def _default_bounds() -> dict[str, dict[str, float]]:
    path = Path(__file__).parent / "data" / "thresholds.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
