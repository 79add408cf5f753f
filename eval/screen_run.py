"""How often the screen turns away an honest question, over every question of a bench."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from eval.collection import CollectionInvalid, lines_of
from retrieval.injection import injection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

KEYS = ("question", "questions", "query", "utterance", "a", "b")


def screen_figures(questions: Iterable[str]) -> dict[str, float | int | list[str]]:
    """`screen_false_alarms` is the share of distinct `questions` refused; `screen_refused` names them."""
    asked = list(dict.fromkeys(questions))
    refused = [question for question in asked if injection(question) is not None]
    return {
        "screen_questions": len(asked),
        "screen_false_alarms": len(refused) / len(asked) if asked else 0.0,
        "screen_refused": refused[:20],
    }


def figures(folder: Path) -> dict[str, float | int | list[str]]:
    """`screen_figures` of every question under `folder`. Raises CollectionInvalid for a file out of form."""
    return screen_figures(questions_of(folder))


def questions_of(data: Path) -> Iterator[str]:
    """Every question in the JSON and JSON Lines files under `data`, in the order of their paths."""
    for path in sorted([*data.rglob("*.json"), *data.rglob("*.jsonl")]):
        for value in _values(path):
            yield from _asked(value)


def _values(path: Path) -> Iterator[Any]:
    if path.suffix == ".jsonl":
        yield from lines_of(path)
        return
    try:
        yield json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CollectionInvalid(f"{path} cannot be read as JSON: {error}.") from error


def _asked(value: Any) -> Iterator[str]:
    """Strings under the names that questions have, at any depth."""
    if isinstance(value, list):
        for item in value:
            yield from _asked(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in KEYS and isinstance(item, str):
                yield item
            elif key in KEYS and isinstance(item, list):
                yield from (one for one in item if isinstance(one, str))
                yield from _asked(item)
            else:
                yield from _asked(item)
