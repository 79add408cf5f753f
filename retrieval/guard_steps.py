"""The steps that a question is read as. Pure."""

from __future__ import annotations

from dataclasses import dataclass

CONTENT, NUMBER, STOP, COMMA = "content", "number", "stop", "comma"


@dataclass(frozen=True, slots=True)
class Read:
    """One step of a read question: its kind (a list's, or content, number, stop, comma) and its value."""

    kind: str
    value: str
    word: str = ""
    name: bool = False
