"""How many passages stand under each route, as far as a person may read them."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Count, Q

from corpus.selectors import chunks_live, read_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.models import Reroute
    from teams.models import User, Workspace

# What takes longer than this to count is kept, until a version comes or goes or a job moves passages.
SLOW_SECONDS, KEPT_SECONDS = 0.03, 3600


@dataclass(frozen=True, slots=True)
class RouteCounts:
    """(route, passages) in the order of the routes' names, and how many are near the boundary of two."""

    counts: tuple[tuple[str, int], ...]
    near: int


def route_counts(workspace: Workspace, user: User, jobs: Sequence[Reroute]) -> RouteCounts:
    """Counted over what `user` may read; `jobs` are the newest of the workspace, as they stand now.

    Those who may read the same share what is kept, as the digest of it is the key.
    """
    read = read_digest(workspace, user)
    told = repr([(job.pk, job.state, job.done) for job in jobs])
    key = "routes:" + hashlib.sha256(f"{workspace.pk}{read}{told}".encode()).hexdigest()
    kept: RouteCounts | None = cache.get(key)
    if kept is not None:
        return kept
    began = time.perf_counter()
    counted = _counted(workspace, user)
    if time.perf_counter() - began > SLOW_SECONDS:
        cache.set(key, counted, KEPT_SECONDS)
    return counted


def _counted(workspace: Workspace, user: User) -> RouteCounts:
    near = Count("pk", filter=Q(decision__near=True))
    rows = chunks_live(workspace, user).order_by("route").values_list("route")
    found = list(rows.annotate(count=Count("pk"), near=near))
    return RouteCounts(
        tuple((route, count) for route, count, _near in found), sum(row[2] for row in found)
    )
