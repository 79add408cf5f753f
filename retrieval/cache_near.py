"""How near two questions must be for one answer, by the embedder that made their vectors."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path


@functools.cache
def _bounds() -> dict[str, float]:
    held = tomllib.loads((Path(__file__).parent / "data" / "cache.toml").read_text("utf-8"))
    return {str(name): float(bound) for name, bound in held["near"].items()}


def near(embedder: str) -> float:
    """The least cosine for the embedder of this identity; the strictest for one without a fit."""
    return _bounds().get(embedder, _bounds()["default"])
