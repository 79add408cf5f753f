"""The one access function. Every view, store, SQL schema, socket, cache and count goes through it.

A model says how it hangs on a workspace by `ACCESS_PATH` (a lookup that ends at the workspace's
key). A model that belongs to one person inside the workspace also names `OWNER_PATH`: then only that
person and those with the audit right see the row, and with `SHARED_PATH` (a lookup that ends at a
boolean) also all who hold the right in the workspace once it is true. A model without `ACCESS_PATH` is
never visible: asking for it raises, so that a forgotten declaration fails closed and loudly. What hangs on
a document is narrowed further, to the documents that the person may read (`teams.visibility`).

Who acts by a service token does so inside `acting`: the token's scope narrows every right of its owner, is
read again from its row each time, and nobody else holds any right there.
"""

from __future__ import annotations

import enum
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import models
from django.db.models import Q

from teams.visibility import narrowed

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator

    from django.contrib.auth.models import AnonymousUser

    from teams.models import User, Workspace

Row = TypeVar("Row", bound=models.Model)


class Right(enum.StrEnum):
    SEE = "see"
    ASK = "ask"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    CURATE = "curate"
    AUDIT = "audit"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True)
class Acting:
    """A service token in use: whose it is, in which workspace, and which rights it may use of theirs."""

    token_id: uuid.UUID
    user_id: int
    workspace_id: uuid.UUID
    rights: frozenset[Right]


# (person, right, token) → workspaces, inside `rights_once` alone.
_held: ContextVar[dict[tuple[int, Right, Acting | None], list[uuid.UUID]] | None] = ContextVar(
    "held", default=None
)
_acting: ContextVar[Acting | None] = ContextVar("acting", default=None)


@contextmanager
def acting(token: Acting | None) -> Iterator[None]:
    """Inside the block all rights are those that `token` has now; None changes nothing.

    It holds for this context and for threads that run in a copy of it. Work that is handed to any other
    thread takes `acting_now()` along and enters the block anew there.
    """
    if token is None:
        yield
        return
    held = _acting.set(token)
    try:
        yield
    finally:
        _acting.reset(held)


def acting_now() -> Acting | None:
    """The service token of this context; None for a person who is signed in, and for the clock."""
    return _acting.get()


@contextmanager
def rights_once() -> Iterator[None]:
    """Inside the block each right of a person is read once, as for one moment.

    For a few reads that answer one thing and must be quick; never around what takes long or waits, since
    a right that is taken away meanwhile counts until the block ends.
    """
    token = _held.set({})
    try:
        yield
    finally:
        _held.reset(token)


def workspace_ids(user: User | AnonymousUser, right: Right) -> list[uuid.UUID]:
    """Keys of the workspaces in which `user` holds `right`; none for anybody not signed in."""
    if not user.is_authenticated or not user.is_active:
        return []
    token = _acting.get()
    if token is not None and (token.user_id != user.pk or right not in token.rights):
        return []
    held, key = _held.get(), (user.pk, right, token)
    if held is None:
        return _workspace_ids(*key)
    if key not in held:
        held[key] = _workspace_ids(*key)
    return list(held[key])


def _workspace_ids(user_id: int, right: Right, token: Acting | None) -> list[uuid.UUID]:
    from teams.models import ROLE_RIGHTS, Membership, ServiceToken

    roles = [role for role, rights in ROLE_RIGHTS.items() if right in rights]
    memberships = Membership.objects.filter(user_id=user_id, role__in=roles)
    if right is Right.DOWNLOAD:
        memberships = memberships.filter(download=True)
    if token is not None:
        # Read from the row, so that revoking ends what is under way too.
        live = ServiceToken.objects.live().filter(pk=token.token_id, scopes__contains=[right])
        memberships = memberships.filter(workspace_id__in=live.values("workspace_id"))
    return list(memberships.values_list("workspace_id", flat=True))


def visible_to[Row: models.Model](
    queryset: models.QuerySet[Row], user: User | AnonymousUser, right: Right = Right.SEE
) -> models.QuerySet[Row]:
    """The rows of `queryset` on which `user` holds `right`.

    Raises ImproperlyConfigured when the model does not say how it hangs on a workspace.
    """
    path: str | None = getattr(queryset.model, "ACCESS_PATH", None)
    if path is None:
        raise ImproperlyConfigured(f"{queryset.model.__name__} declares no ACCESS_PATH.")
    allowed = workspace_ids(user, right)
    if not allowed:
        return queryset.none()
    person: Any = user.pk
    rows: models.QuerySet[Row] = narrowed(
        queryset.filter(**{f"{path}__in": allowed}), person, allowed
    )
    owner_path: str | None = getattr(queryset.model, "OWNER_PATH", None)
    if owner_path is None:
        return rows
    audited = workspace_ids(user, Right.AUDIT)
    if set(allowed) <= set(audited):
        # Whoever audits all of them reads every row; asking whose each is would read them all.
        return rows
    reach = Q(**{owner_path: user.pk}) | Q(**{f"{path}__in": audited})
    shared_path: str | None = getattr(queryset.model, "SHARED_PATH", None)
    return rows.filter(reach | Q(**{shared_path: True}) if shared_path else reach)


def holds(user: User | AnonymousUser, workspace: Workspace, right: Right) -> bool:
    return workspace.pk in workspace_ids(user, right)


def require(user: User | AnonymousUser, workspace: Workspace, right: Right) -> None:
    """Raise PermissionDenied unless `user` holds `right` in `workspace`."""
    if not holds(user, workspace, right):
        raise PermissionDenied(f"You do not have the right to {right.value} here.")


class ScopedQuerySet(models.QuerySet[Any]):
    """A queryset that can narrow itself to what a person may reach."""

    def visible_to(self, user: Any, right: Right = Right.SEE) -> Any:
        return visible_to(self, user, right)

    def in_workspace(self, workspace: Workspace) -> Any:
        path: str | None = getattr(self.model, "ACCESS_PATH", None)
        if path is None:
            raise ImproperlyConfigured(f"{self.model.__name__} declares no ACCESS_PATH.")
        return self.filter(**{path: workspace.pk})
