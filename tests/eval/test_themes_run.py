"""The measuring of themes: which questions ask for an overview, and that making them is timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.models import Chunk, Community
from eval.themes_run import made_up, recognition

if TYPE_CHECKING:
    from pathlib import Path


def test_no_question_of_the_sets_is_taken_for_one_and_those_for_an_overview_are() -> None:
    found = recognition(None)

    assert found["others"] > 600
    assert found["others_taken"] == []
    assert found["near_misses_taken_fit"] == found["near_misses_taken_report"] == 0
    asked_for = found["overview_asked_fit"] + found["overview_asked_report"]
    known = found["overview_known_fit"] + found["overview_known_report"]
    assert known >= 0.93 * asked_for


def test_questions_of_a_folder_of_public_sets_are_counted_and_passages_are_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "queries.jsonl").write_text('{"q": "Give me an overview"}\n', encoding="utf-8")
    (tmp_path / "corpus.jsonl").write_text('{"text": "The big picture"}\n', encoding="utf-8")

    assert recognition(tmp_path)["others_taken"] == ["Give me an overview"]


@pytest.mark.django_db
def test_made_up_passages_are_timed_and_taken_away_again() -> None:
    found = made_up(40, None)

    assert found["seconds"] > 0
    assert found["themes"] >= 1
    assert not Chunk.objects.exists()
    assert not Community.objects.exists()
