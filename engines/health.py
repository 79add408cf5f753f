"""How an engine is: asked of its server, and kept for a few seconds."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import requests
from django.db import models
from django.utils.translation import gettext_lazy as _

from engines.registry import member

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.specs import EngineSpec

CHECK_SECONDS = 2.0
FRESH_SECONDS = 5.0
AT_ONCE = 8


class State(models.TextChoices):
    UP = "up", _("Up")
    LOADING = "loading", _("Loading its model")
    RESTING = "resting", _("Left alone after failures")
    REFUSED = "refused", _("Refuses the key")
    BROKEN = "broken", _("No model server")
    DOWN = "down", _("Down")


@dataclass(frozen=True, slots=True)
class Health:
    """`serves` are the models that the server names; `seconds` how long it took to say so."""

    state: State
    said: str = ""
    serves: tuple[str, ...] = ()
    seconds: float = 0.0


_lock = threading.Lock()
_kept: dict[EngineSpec, tuple[float, Health]] = {}


def healths(found: Sequence[EngineSpec]) -> list[Health]:
    """The health of each engine, in order, asked at once and in at most CHECK_SECONDS each."""
    if not found:
        return []
    with ThreadPoolExecutor(min(AT_ONCE, len(found)), "health") as pool:
        return list(pool.map(health_of, found))


def health_of(spec: EngineSpec) -> Health:
    """What the server says of itself, not asked again for FRESH_SECONDS."""
    if spec.problem:
        return Health(State.DOWN, spec.problem)
    with _lock:
        begun, held = _kept.get(spec, (float("-inf"), Health(State.DOWN)))
    if time.monotonic() - begun < FRESH_SECONDS:
        return held
    asked = _asked(spec)
    with _lock:
        _kept[spec] = (time.monotonic(), asked)
    return asked


def _asked(spec: EngineSpec) -> Health:
    breaker = member(spec).breaker
    began = time.monotonic()
    try:
        reply = requests.get(
            f"{spec.base_url.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {spec.api_key}"} if spec.api_key else {},
            timeout=CHECK_SECONDS,
            allow_redirects=False,
        )
    except requests.RequestException as error:
        return Health(State.DOWN, type(error).__name__)
    took = time.monotonic() - began
    if reply.status_code == 503:
        return Health(State.LOADING, seconds=took)
    if reply.status_code in {401, 403}:
        return Health(State.REFUSED, seconds=took)
    # A server without this address (late chunking, some rerankers) is up all the same.
    serves = _models(reply) if reply.ok else ()
    if serves is None or reply.status_code >= 500:
        return Health(State.BROKEN, f"HTTP {reply.status_code}", seconds=took)
    if breaker.rests:
        return Health(State.RESTING, breaker.reason, serves, took)
    return Health(State.UP, "", serves, took)


def _models(reply: requests.Response) -> tuple[str, ...] | None:
    """The names of the models; None when the reply is not one of a model server."""
    try:
        held = reply.json()
    except ValueError:
        return None
    rows = held.get("data") if isinstance(held, dict) else None
    if not isinstance(rows, list):
        return None
    return tuple(str(row["id"]) for row in rows if isinstance(row, dict) and "id" in row)
