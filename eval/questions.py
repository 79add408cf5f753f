"""The question sets as values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETS = Path(__file__).parent / "sets"
TABULAR = (".csv", ".xlsx")


class SetInvalid(Exception):
    """A set that cannot be read; the message names the file, the line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Evidence:
    document: str
    contains: str

    @property
    def tabular(self) -> bool:
        """A table is found as a whole; a passage by what stands in it."""
        return self.document.endswith(TABULAR)


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `routes` has one route, or one per part of a compound message."""

    id: str
    language: str
    text: str
    routes: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]
    evidence: tuple[Evidence, ...]
    answerable: bool


def read(name: str, folder: Path = SETS) -> list[Question]:
    """The questions of a set, in the order of the file. Raises SetInvalid."""
    path = folder / f"{name}.jsonl"
    if not path.exists():
        raise SetInvalid(f"There is no set {name} in {folder}.")
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(_question(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise SetInvalid(f"{path.name}, line {number}: {error!r}") from error
    return found


def _question(row: dict[str, Any]) -> Question:
    parts = row.get("parts")
    facts = row.get("facts", []) if parts is None else [f for p in parts for f in p["facts"]]
    return Question(
        row["id"],
        row["lang"],
        row["question"],
        (row["route"],) if parts is None else tuple(part["route"] for part in parts),
        tuple(tuple(fact) for fact in facts),
        tuple(Evidence(item["document"], item["contains"]) for item in row.get("evidence", [])),
        row.get("answerable", True),
    )
