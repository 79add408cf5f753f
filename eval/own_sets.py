"""The project's own question sets over the demo corpus, as one suite of figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval import questions
from eval.run import figures as figures_of
from eval.run import score
from eval.workspace import prepare

if TYPE_CHECKING:
    from pathlib import Path

SETS = ("golden", "holdout", "compound")
KEYS = ("router", "r1", "r5", "mrr", "empty", "facts", "facts_en", "facts_pt", "compound_routes")


def figures(_data: Path) -> dict[str, Any]:
    """The figures of `make eval` under `SET_KEY`; those that a set has none of are left out.

    Raises CorpusNotRead and SetInvalid as `manage.py evaluate` does.
    """
    workspace, user = prepare(reset=False, say=lambda line: None)
    result: dict[str, Any] = {}
    for name in SETS:
        found = figures_of([score(workspace, user, item) for item in questions.read(name)])
        result |= {f"{name}_{key}": found[key] for key in KEYS if found[key] is not None}
    return result
