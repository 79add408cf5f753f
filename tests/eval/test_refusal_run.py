from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from eval.questions import Question
from eval.refusal_run import SETS, Refused, figures, read, share
from routing.calibration import in_fit_half

if TYPE_CHECKING:
    from pathlib import Path


def row(number: int, *, answerable: bool, refused: bool, facts: bool | None = None) -> Refused:
    question = Question(str(number), "en", f"Question {number}?", (), (), (), answerable)
    return Refused("made up", question, refused, facts, "")


def test_shares_carry_wilsons_interval() -> None:
    held = share([True] + 9 * [False])
    assert (held["n"], held["true"], held["share"]) == (10, 1, 0.1)
    assert held["high"] == pytest.approx(0.4042, abs=1e-4)
    assert held["low"] == pytest.approx(0.0179, abs=1e-4)
    assert share([])["share"] is None


def test_each_half_is_told_apart_and_the_two_kinds_of_questions_as_well() -> None:
    rows = [
        *(row(n, answerable=False, refused=n % 2 == 0) for n in range(40)),
        *(row(n, answerable=True, refused=n == 40, facts=n != 40) for n in range(40, 60)),
    ]
    found = figures(rows)
    assert (found["all"]["rightly"]["true"], found["all"]["rightly"]["n"]) == (20, 40)
    assert (found["all"]["wrongly"]["true"], found["all"]["wrongly"]["n"]) == (1, 20)
    assert found["all"]["facts"]["true"] == 19
    fitted = sum(in_fit_half(one.question.text) for one in rows if not one.question.answerable)
    assert found["fit"]["rightly"]["n"] == fitted
    assert found["held_out"]["rightly"]["n"] == 40 - fitted


def test_the_sets_are_for_development_alone_and_are_read() -> None:
    assert "holdout" not in SETS
    assert all(read(name) for name in SETS)
    assert not any(question.answerable for question in read("unanswerable_dev"))


@pytest.mark.django_db
def test_a_collection_besides_is_asked_its_own_and_foreign_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = {
        "corpus": [{"_id": "1", "text": "The kiln of Vagos fires tiles at 1180 degrees."}],
        "own": [{"_id": "1", "text": "At how many degrees does the kiln of Vagos fire tiles?"}],
        "foreign": [{"_id": "1", "text": "Which songs did Frederic Chopin write in Warsaw?"}],
    }
    paths = {name: tmp_path / f"{name}.jsonl" for name in lines}
    for name, rows in lines.items():
        paths[name].write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(CommandError, match="go together"):
        call_command("evaluate_refusal", corpus=paths["corpus"])
    call_command("evaluate_refusal", **paths)
    [line] = [row for row in capsys.readouterr().out.splitlines() if row.startswith("RESULT ")]
    found = json.loads(line.removeprefix("RESULT "))
    assert (found["own"]["n"], found["own"]["true"]) == (1, 0)
    assert (found["foreign"]["n"], found["foreign"]["true"]) == (1, 1)
