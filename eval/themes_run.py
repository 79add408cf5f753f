"""Overview questions: whether they are known from others, and how long making the themes takes."""

from __future__ import annotations

import json
import time
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.communities import themes_make
from corpus.models import Chunk, Community, ThemesState
from eval.bench_finding import scratch
from eval.collection import lines_of
from retrieval.overview_cues import overview_asked
from routing.calibration import in_fit_half

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import Workspace

SETS = Path(__file__).parent / "sets"
OWN, APART = "overview", "holdout"
# Fields in which the public sets keep a question, and how long one may be.
FIELDS, LONGEST = frozenset({"q", "question", "a", "b", "said", "query", "message", "text"}), 400
BATCH = 500


def recognition(data: Path | None) -> dict[str, Any]:
    """How many overview questions are known, by half, and how many other questions are taken for one.

    The phrases were mended on the half "fit"; the other is the figure. False alarms are counted over the
    project's sets, without the one kept apart, and over every question in the files of `data`.
    """
    found: dict[str, Any] = {}
    rows = lines_of(SETS / f"{OWN}.jsonl", "question", "overview")
    for half, fit in (("fit", True), ("report", False)):
        mine = [row for row in rows if in_fit_half(row["question"]) == fit]
        asked = [row for row in mine if row["overview"]]
        known = [overview_asked(row["question"]) for row in asked]
        found[f"overview_asked_{half}"] = len(asked)
        found[f"overview_known_{half}"] = sum(one is not None for one in known)
        found[f"overview_topic_{half}"] = sum(
            one is not None and one.topic == row["topic"]
            for one, row in zip(known, asked, strict=True)
        )
        near = [row["question"] for row in mine if not row["overview"]]
        found[f"near_misses_{half}"] = len(near)
        found[f"near_misses_taken_{half}"] = sum(overview_asked(text) is not None for text in near)
    others = set(_questions(data))
    found["others"] = len(others)
    found["others_taken"] = sorted(text for text in others if overview_asked(text) is not None)
    return found


def _questions(data: Path | None) -> Iterator[str]:
    files = [path for path in SETS.glob("*.jsonl") if path.stem not in {OWN, APART}]
    if data is not None:
        every = (path for path in data.rglob("*.json*") if path.is_file())
        files += [path for path in every if "corpus" not in path.name]
    for path in files:
        try:
            text = path.read_text(encoding="utf-8")
            rows = (
                [json.loads(line) for line in text.splitlines() if line.strip()]
                if path.suffix == ".jsonl"
                else [json.loads(text)]
            )
        except ValueError:
            continue
        yield from _texts(rows, "")


def _texts(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name)
    elif isinstance(value, str) and name in FIELDS and len(value) < LONGEST:
        yield value


def seconds(workspace: Workspace) -> float:
    """Seconds to make the themes of a workspace from nothing, as its background job does."""
    Community.objects.filter(workspace=workspace).delete()
    ThemesState.objects.filter(workspace=workspace).delete()
    began = time.perf_counter()
    themes_make(workspace.pk)
    return time.perf_counter() - began


def made_up(size: int, data: Path | None) -> dict[str, float]:
    """Seconds for `size` passages with made-up vectors; their text is that of `data`, or made up as well."""
    with scratch([size], worded=True) as (_user, (workspace,)):
        if data is not None:
            _worded(workspace, data)
        spent = seconds(workspace)
        made = Community.objects.filter(workspace=workspace)
        themes = made.filter(level=0).count()
        made.delete()
    return {"passages": size, "themes": themes, "seconds": spent}


def _worded(workspace: Workspace, data: Path) -> None:
    """Real text for made-up passages; what there is of it is gone through again when it is too little."""
    texts = [
        row["text"]
        for path in sorted(data.rglob("corpus*.jsonl"))
        for row in lines_of(path, "text")
        if row["text"].strip()
    ]
    rows = list(Chunk.objects.filter(workspace=workspace).only("pk").order_by("position"))
    for row, text in zip(rows, islice(cycle(texts), len(rows)), strict=True):
        row.text = text
    Chunk.objects.bulk_update(rows, ["text"], batch_size=BATCH)
