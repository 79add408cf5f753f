"""What this process knows of the engines' rows: read at the start of requests, questions and jobs.

The registry itself touches no database, so that an embedder can be asked anywhere, also inside a
transaction under a workspace's own role. Whoever begins a piece of work calls `rows_refresh`.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from engines.models import EmbedderPrint, Engine, Place, Protocol
from engines.prints import prints_load, prints_unsaved
from engines.sealing import SealBroken, unseal
from engines.specs import EngineSpec

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = logging.getLogger(__name__)
# Another process learns of a change within so many seconds.
FRESH_SECONDS = 5.0


class _Held:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.specs: tuple[EngineSpec, ...] = ()
        self.read_at = float("-inf")


_held = _Held()


def rows_known() -> tuple[EngineSpec, ...]:
    """The engines of the rows as last read, those that are off left out; by priority."""
    return _held.specs


def rows_refresh() -> None:
    """Read the rows again if they were not read in the last seconds; store new prints."""
    with _held.lock:
        if time.monotonic() - _held.read_at < FRESH_SECONDS:
            return
        _held.specs = specs_of(Engine.objects.filter(enabled=True))
        for key, vector in prints_unsaved().items():
            EmbedderPrint.objects.get_or_create(key=key, defaults={"vector": vector})
        prints_load(dict(EmbedderPrint.objects.values_list("key", "vector")))
        _held.read_at = time.monotonic()


def rows_forget() -> None:
    """Read the rows at the next refresh, and know none till then if none are left."""
    _held.read_at = float("-inf")


def rows_clear() -> None:
    """As in a process that has just started."""
    _held.specs, _held.read_at = (), float("-inf")


def specs_of(rows: Iterable[Engine]) -> tuple[EngineSpec, ...]:
    return tuple(_spec(row) for row in rows)


def _spec(row: Engine) -> EngineSpec:
    problem = key = ""
    try:
        key = unseal(row.sealed_key)
    except SealBroken:
        said = "was stored under another SECRET_KEY: enter it again in the admin."
        problem = f"The API key of {row.name} {said}"
    return EngineSpec(
        key=f"row:{row.pk}",
        role=row.role,
        name=row.name,
        base_url=row.base_url,
        model=row.model,
        api_key=key,
        timeout=row.timeout,
        context_tokens=row.context_tokens,
        price_in=row.price_in,
        price_out=row.price_out,
        remote=row.place == Place.REMOTE,
        priority=row.priority,
        late_chunking=row.protocol == Protocol.LATE_CHUNKING,
        enabled=row.enabled,
        problem=problem,
    )
