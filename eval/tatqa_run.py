"""The suite `tatqa` of `evaluate_answering`: route and exact match, without and with a generator."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.registry import generator
from eval.collection import CollectionInvalid
from eval.tatqa import Asked, asked, pages_read, read, tatqa_figures
from eval.with_generator import without_generator
from eval.workspace import CorpusNotRead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.tatqa import Question
    from teams.models import User, Workspace

EVERY = 25


def figures(data: Path) -> dict[str, Any]:
    """`tatqa_route`, `tatqa_em` and their like over the reported half, without a generator; with one set
    also `tatqa_em_generated`, and with POLYRAG_TATQA_OPEN=1 the same of all pages at once, `tatqa_open_…`.

    POLYRAG_TATQA_DETAILS names a file for every question of the fitted half, as JSON Lines. Raises
    CollectionInvalid for a file that is missing, out of form or cannot be read by the product.
    """
    pages, questions = read(data)
    try:
        workspace, user = pages_read(pages, _say)
    except CorpusNotRead as error:
        raise CollectionInvalid(str(error)) from error
    with without_generator():
        rows = _all(workspace, user, questions)
        found = tatqa_figures(rows)
        if os.environ.get("POLYRAG_TATQA_OPEN"):
            opened = [asked(workspace, user, item, alone=False) for item in questions]
            found |= tatqa_figures(opened, "tatqa_open")
    if path := os.environ.get("POLYRAG_TATQA_DETAILS"):
        _details(Path(path), rows)
    if generator() is not None:
        written = tatqa_figures(_all(workspace, user, questions))
        found |= {
            "tatqa_em_generated": written["tatqa_em"],
            "tatqa_stands_generated": written["tatqa_stands"],
        }
    return found


def _all(workspace: Workspace, user: User, questions: Sequence[Question]) -> list[Asked]:
    rows = []
    for place, question in enumerate(questions, 1):
        rows.append(asked(workspace, user, question))
        if place % EVERY == 0:
            _say(f"asked {place} of {len(questions)}")
    return rows


def _details(path: Path, rows: Sequence[Asked]) -> None:
    """What is looked at while mending: the fitted half alone, so that the other stays unseen."""
    with path.open("w", encoding="utf-8") as handle:
        for row in rows:
            if row.question.fitted:
                handle.write(json.dumps(_detail(row), ensure_ascii=False) + "\n")


def _detail(row: Asked) -> dict[str, Any]:
    return {
        "uid": row.question.uid,
        "page": row.question.page,
        "question": row.question.text,
        "source": row.question.source,
        "gold": list(row.question.gold.values),
        "scale": row.question.gold.scale,
        "routes": list(row.routes),
        "stores": list(row.stores),
        "answer": row.answer,
        "said": [list(reading) for reading in row.said.readings],
        "notes": list(row.notes),
        "routed": row.routed,
        "exact": row.exact,
        "value": row.value,
        "stands": row.stands,
    }


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
