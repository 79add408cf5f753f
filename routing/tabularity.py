"""How much a text looks like rows of a table."""

from __future__ import annotations

import re

DELIMITERS = re.compile(r"[|;\t]")
NUMBER = re.compile(r"\d")


def tabularity(text: str) -> float:
    """Share of lines, in [0, 1], that hold at least two delimiters and a digit.

    Prose with semicolons has few such lines; an exported table has nearly nothing else.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        return 0.0
    rows = [line for line in lines if len(DELIMITERS.findall(line)) >= 2 and NUMBER.search(line)]
    return len(rows) / len(lines)
