"""Whether the index is of the embedder in force, without a page ever waiting for a model server."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from engines.errors import EngineError
from engines.registry import embedder

if TYPE_CHECKING:
    from corpus.reindex import IndexState
    from engines.roles import Embedder
    from teams.models import User, Workspace

WAIT_SECONDS, AGAIN_SECONDS = 0.3, 60.0
_asked: dict[Embedder, tuple[float, threading.Thread]] = {}
_known: set[Embedder] = set()


def index_known(workspace: Workspace, user: User) -> IndexState | None:
    """What is stale of the index, as far as `user` may read; None while the embedder has not said what
    it is.

    A model server that is down or slow is asked in the background, once a minute.
    """
    from corpus.reindex import index_state

    if not _identified(embedder()):
        return None
    return index_state(workspace, user, stale=True)


def _identified(engine: Embedder) -> bool:
    if engine in _known:
        return True
    begun, thread = _asked.get(engine, (float("-inf"), None))
    if time.monotonic() - begun > AGAIN_SECONDS and not (thread and thread.is_alive()):
        thread = threading.Thread(target=_ask, args=(engine,), daemon=True)
        _asked[engine] = (time.monotonic(), thread)
        thread.start()
    if thread:
        thread.join(WAIT_SECONDS)
    return engine in _known


def _ask(engine: Embedder) -> None:
    try:
        str(engine.identity)
    except EngineError:
        return
    _known.add(engine)
