"""The project's own question sets over the demo corpus, as one suite of figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval import judging, questions
from eval.run import figures as figures_of
from eval.run import score
from eval.with_generator import both
from eval.workspace import prepare

if TYPE_CHECKING:
    from pathlib import Path

    from teams.models import User, Workspace

SETS = ("golden", "holdout", "compound")
KEYS = ("router", "r1", "r5", "mrr", "empty", "facts", "facts_en", "facts_pt", "compound_routes")


JUDGED = ("faithful", "relevant", "judged")
# What a generator changes: routing and finding are the same with and without one.
WRITTEN = ("facts", "facts_en", "facts_pt", "refused_wrongly", "refused_rightly", *JUDGED)


def figures(_data: Path) -> dict[str, Any]:
    """The figures of `make eval` under `SET_KEY`; those that a set has none of are left out.

    With a generator set, what its answers state is under `SET_KEY_generated`; the others are without it.
    Raises CorpusNotRead and SetInvalid as `manage.py evaluate` does.
    """
    workspace, user = prepare(reset=False, say=lambda line: None)
    result: dict[str, Any] = {}
    for name in SETS:
        quoted, written = both(lambda name=name: _of_set(workspace, user, name))  # type: ignore[misc]
        result |= {f"{name}_{key}": quoted[key] for key in KEYS if quoted[key] is not None}
        if written is not None:
            result |= {
                f"{name}_{key}_generated": written[key]
                for key in WRITTEN
                if written.get(key) is not None
            }
    return result


def _of_set(workspace: Workspace, user: User, name: str) -> dict[str, Any]:
    rows = [score(workspace, user, item) for item in questions.read(name)]
    return figures_of(rows) | judging.figures(rows)
