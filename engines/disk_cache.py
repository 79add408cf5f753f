"""Vectors of texts that were embedded before, kept on disk for evaluation runs and tests."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from engines.roles import Embedder
    from engines.values import EmbedderIdentity


class CachedEmbedder:
    """An embedder that looks a text up by identity, side and SHA-256 before asking the model."""

    def __init__(self, inner: Embedder, folder: str) -> None:
        self._inner = inner
        self._path = Path(folder) / "embeddings.sqlite3"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._local = threading.local()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._lookup("query", texts, self._inner.queries)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._lookup("passage", texts, self._inner.passages)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            found.execute("PRAGMA journal_mode=WAL")
            found.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL)"
            )
            self._local.connection = found
        return found

    def _lookup(
        self,
        side: str,
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        keys = [
            hashlib.sha256(
                f"{self.identity}\x00{side}\x00{text}".encode("utf-8", "replace")
            ).hexdigest()
            for text in texts
        ]
        connection = self._connection()
        known = {
            key: np.frombuffer(blob, dtype=np.float32)
            for key in set(keys)
            for (blob,) in connection.execute("SELECT vector FROM vectors WHERE key = ?", [key])
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            vectors = embed(list(missing.values()))
            fresh = dict(zip(missing, vectors, strict=True))
            connection.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                [(key, vector.tobytes()) for key, vector in fresh.items()],
            )
            known |= fresh
        if not keys:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        return np.vstack([known[key] for key in keys]).astype(np.float32)
