from __future__ import annotations

from pathlib import Path

import pytest

from eval import own_sets, questions
from eval.questions import Evidence, Question
from tests.factories import ingest, make_user, make_workspace


@pytest.mark.django_db
def test_each_set_gives_its_own_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "v.md", "# Visitors\n\nVisitors wear a heliotrope badge.\n")
    evidence = (Evidence("v.md", "heliotrope"),)
    right = Question(
        "a", "en", "How are visitors marked?", ("vectorial",), (("heliotrope",),), evidence, True
    )
    wrong = Question(
        "b", "en", "How are visitors marked?", ("graph",), (("saffron",),), evidence, True
    )
    held = {"golden": [right], "holdout": [wrong], "compound": [right, wrong]}
    monkeypatch.setattr(questions, "read", held.__getitem__)
    monkeypatch.setattr(own_sets, "prepare", lambda **_: (workspace, owner))
    found = own_sets.figures(Path())
    assert (found["golden_router"], found["holdout_router"]) == (1.0, 0.0)
    assert (found["golden_facts"], found["holdout_facts"], found["compound_facts"]) == (
        1.0,
        0.0,
        0.5,
    )
    assert found["golden_r5"] == 1.0
