"""Reads of stored runs that pages and the API share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from teams.access import Right, holds
from telemetry.models import Trace

if TYPE_CHECKING:
    from teams.models import User, Workspace


def traces_of(user: User, workspace: Workspace) -> Any:
    """The runs that `user` has a list of: all for who audits, else one's own.

    What others share is read in their conversations.
    """
    rows = Trace.objects.visible_to(user).in_workspace(workspace)
    return rows if holds(user, workspace, Right.AUDIT) else rows.filter(user=user)
