"""Reads of stored runs that pages and the API share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teams.access import Right, holds
from telemetry.models import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from teams.models import User, Workspace


def traces_of(user: User, workspace: Workspace) -> Any:
    """The runs that `user` has a list of: all for who audits, else one's own.

    What others share is read in their conversations.
    """
    rows = Trace.objects.visible_to(user).in_workspace(workspace)
    return rows if holds(user, workspace, Right.AUDIT) else rows.filter(user=user)


def traces_filtered(traces: Any, asked: Mapping[str, Any]) -> Any:
    """`traces` narrowed by state, route, stage, person and words (q); an unknown value finds nothing."""
    lookups = {
        "state": "state",
        "route": "route__contains",
        "stage": "stage__contains",
        "person": "user__username",
        "q": "question__icontains",
    }
    for name, lookup in lookups.items():
        if value := str(asked.get(name) or "").replace("\x00", "").strip():
            traces = traces.filter(**{lookup: value})
    return traces
