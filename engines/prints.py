"""Knowing a model by its vector of one fixed sentence.

A server that is started with another model under the same name answers as before, and its vectors mean
nothing beside those that are stored. So a fixed sentence is embedded along with the texts, and its vector
held against the first one that was ever made under that identity.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from engines.errors import EngineReplyInvalid

if TYPE_CHECKING:
    from numpy.typing import NDArray

SENTENCE = "Every passage keeps the name of the model that made its vector."
# Two weights of one model (8 bits, 4 bits) stay far above it, two models far below.
LEAST_COSINE = 0.9

_lock = threading.Lock()
_known: dict[str, NDArray[np.float32]] = {}
_unsaved: set[str] = set()


def print_check(key: str, vector: NDArray[np.float32], url: str) -> None:
    """Hold `vector` (unit length) of the fixed sentence against the known one; the first is believed.

    Raises EngineReplyInvalid when it is another model's.
    """
    with _lock:
        known = _known.get(key)
        if known is None:
            _known[key] = vector
            _unsaved.add(key)
            return
    if known.shape != vector.shape or float(known @ vector) < LEAST_COSINE:
        raise EngineReplyInvalid(
            f"The embedder at {url} gives other vectors than before under the name "
            f"{key.split(':')[0]}: another model is being served. Serve the former one again, or set "
            "the new model's own name, so that the passages are embedded anew."
        )


def prints_load(stored: dict[str, list[float]]) -> None:
    """Take what is stored; where this process has seen the sentence first, the stored one counts."""
    with _lock:
        for key, vector in stored.items():
            _known[key] = np.asarray(vector, dtype=np.float32)
            _unsaved.discard(key)


def prints_unsaved() -> dict[str, list[float]]:
    """What was first seen in this process and is not yet stored."""
    with _lock:
        found = {key: [float(number) for number in _known[key]] for key in _unsaved}
        _unsaved.clear()
        return found


def prints_forget() -> None:
    with _lock:
        _known.clear()
        _unsaved.clear()
