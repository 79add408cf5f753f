"""Writes of the room: engines as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import transaction

from engines.models import Budget, ManagedServer, Wish
from engines.rows import rows_forget
from engines.sealing import seal
from teams.access import Right, require

if TYPE_CHECKING:
    from decimal import Decimal

    from engines.models import Engine
    from teams.models import User, Workspace


@transaction.atomic
def engine_save(*, engine: Engine, user: User, api_key: str | None = None) -> Engine:
    """Store a new or changed engine. `api_key` is sealed; None leaves the stored one, "" takes it away.

    Engines belong to the instance, so only a superuser may. Raises PermissionDenied and ValidationError.
    """
    _require_operator(user)
    if api_key is not None:
        engine.sealed_key = seal(api_key)
    engine.full_clean()
    engine.save()
    transaction.on_commit(rows_forget)
    return engine


@transaction.atomic
def engine_delete(*, engine: Engine, user: User) -> None:
    """Remove an engine; what it fills falls to the next one. Raises PermissionDenied."""
    _require_operator(user)
    engine.delete()
    transaction.on_commit(rows_forget)


@transaction.atomic
def budget_set(*, workspace: Workspace, user: User, monthly: Decimal | None) -> None:
    """What the workspace's answers may cost in a month; None takes the limit away.

    Raises PermissionDenied without the right to manage, and ValidationError below nought.
    """
    require(user, workspace, Right.MANAGE)
    if monthly is None:
        Budget.objects.filter(workspace=workspace).delete()
        return
    held = Budget.objects.filter(workspace=workspace).first() or Budget(workspace=workspace)
    held.monthly = monthly
    held.full_clean()
    held.save()


def server_wish(*, name: str, workspace: Workspace, user: User, action: str) -> None:
    """Start, stop or wake a server of this instance; the supervisor does it within a second.

    Raises PermissionDenied without the right to manage (superusers have it everywhere), ValueError for
    another action and ManagedServer.DoesNotExist.
    """
    if not (user.is_active and user.is_superuser):
        require(user, workspace, Right.MANAGE)
    changes: dict[str, Any] = {
        "start": {"wish": Wish.RUN},
        "stop": {"wish": Wish.STOP},
        "wake": {"wish": Wish.RUN, "wake": True},
    }
    if action not in changes:
        raise ValueError(action)
    if not ManagedServer.objects.filter(name=name).update(**changes[action]):
        raise ManagedServer.DoesNotExist(name)


def _require_operator(user: Any) -> None:
    if not (user.is_active and user.is_superuser):
        raise PermissionDenied("Only the operator's superusers may change engines.")
