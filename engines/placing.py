"""Whose machines may read what a generator is sent: one's own, or those of an API too."""

from __future__ import annotations

import contextvars
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engines.models import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCAL_ONLY: tuple[Place, ...] = (Place.LOCAL,)
LOCAL_FIRST: tuple[Place, ...] = (Place.LOCAL, Place.REMOTE)
REMOTE_FIRST: tuple[Place, ...] = (Place.REMOTE, Place.LOCAL)

_places: contextvars.ContextVar[tuple[Place, ...]] = contextvars.ContextVar(
    "polyrag_places", default=LOCAL_FIRST
)


def places_current() -> tuple[Place, ...]:
    """The places that may be asked in this context, in the order in which they are tried."""
    return _places.get()


@contextmanager
def placed(places: tuple[Place, ...]) -> Iterator[None]:
    """Ask generators in `places` only, in their order, inside the block and in threads that copy its
    context."""
    token = _places.set(places)
    try:
        yield
    finally:
        _places.reset(token)
