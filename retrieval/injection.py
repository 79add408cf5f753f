"""Questions that command the system instead of asking it: a list of patterns that anybody can read.

The screen is the first of several fences and not the one that protects: no answer can act, whatever a
question says. It turns away plain attempts with a message that says why.
"""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from engines.language import fold


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which kind of pattern of which language matched, and on which words of the folded question."""

    language: str
    kind: str
    words: str


@functools.cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    path = Path(__file__).parent / "data" / "injection.toml"
    held: dict[str, dict[str, list[str]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        (language, kind, re.compile(pattern))
        for language, kinds in held.items()
        for kind, patterns in kinds.items()
        for pattern in patterns
    )


def injection(question: str) -> Attempt | None:
    """The first pattern of data/injection.toml that the question matches, in any language."""
    folded = " ".join(fold(question).split())
    for language, kind, pattern in _patterns():
        if found := pattern.search(folded):
            return Attempt(language, kind, found.group())
    return None
