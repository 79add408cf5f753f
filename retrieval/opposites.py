"""Words of which a change turns a passage around, each with the class it speaks for."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

from engines.language import fold


@functools.cache
def opposites() -> dict[str, str]:
    """Each folded comparison, negation or direction word and the class it speaks for."""
    path = Path(__file__).parent / "data" / "opposites.toml"
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return {fold(word): name for name, listed in held.items() for word in listed["words"].split()}
