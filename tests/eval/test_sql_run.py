"""Measuring text-to-SQL on a small set that was made up for it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from eval.sql_sets import questions, spider
from routing.calibration import in_fit_half
from teams.models import User, Workspace
from tests import live

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)
SHOPS = "city,turnover\nLisboa,100\nPorto,250\nLisboa,50\n"
COUNTED = {"en": "How many shops are there?", "pt": "Quantas lojas existem?"}
REPORTED, FITTED = "q2", "q4"


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    live.workspaces_drop()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A Spider of one database: a right question and one with a wrong gold, each in its half."""
    assert in_fit_half(FITTED)
    assert not in_fit_half(REPORTED)
    tables = tmp_path / "spider" / "csv" / "trade"
    tables.mkdir(parents=True)
    (tables / "shops.csv").write_text(SHOPS, encoding="utf-8")
    base = {"db": "trade", "gold_sql": "SELECT count(*) FROM shops", "gold_result": [[3]]}
    rows = [
        {"id": REPORTED, "question": COUNTED["en"], "question_pt": COUNTED["pt"], **base},
        {
            "id": FITTED,
            "question": COUNTED["en"],
            "question_pt": "Porquê?",
            **base,
            "gold_result": [[9]],
        },
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "spider" / "public.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_line_with_both_languages_is_two_questions_of_one_half(data: Path) -> None:
    found = spider(data)
    assert [(one.question.id, one.question.language) for one in found] == [
        (REPORTED, "en"),
        (REPORTED, "pt"),
        (FITTED, "en"),
        (FITTED, "pt"),
    ]
    assert [one.fitted for one in found] == [False, False, True, True]


def test_the_figures_are_those_of_the_reported_half_and_nothing_is_left_behind(
    data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "figures.json"
    call_command("evaluate_sql", data=data, only=["spider"], json=out)
    result = json.loads(capsys.readouterr().out.rsplit("RESULT ", 1)[1])
    assert result["compiled_answered_en"] == result["compiled_right_en"] == 1.0
    assert result["all_right_pt"] == 1.0
    assert result["generated_right_en"] is None
    assert result["compiled_right_en_fit"] == 0.0
    assert result["compiled_answered_pt_fit"] == 0.0
    assert result["n_en"] == result["n_en_fit"] == 1
    details = json.loads(out.read_text(encoding="utf-8"))["details"]
    assert {row["id"] for row in details} == {FITTED}
    assert not Workspace.objects.filter(slug__startswith="sql-").exists()
    assert not User.objects.filter(username__startswith="sql-").exists()


def test_statements_are_written_for_others_to_score(data: Path, tmp_path: Path) -> None:
    asked, out = tmp_path / "asked.jsonl", tmp_path / "out.jsonl"
    lines = [
        {"id": "a", "language": "pt", "question": COUNTED["pt"], "db": "trade"},
        {"id": "b", "question": "Why are there shops?", "db": "trade"},
    ]
    asked.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    call_command("predict_sql", questions=asked, tables=data / "spider" / "csv", out=out)
    one, two = (json.loads(line) for line in out.read_text(encoding="utf-8").splitlines())
    assert (one["id"], one["language"], one["origin"], one["rows"]) == (
        "a",
        "pt",
        "compiled",
        [[3]],
    )
    assert one["sql"].startswith("SELECT COUNT(*)")
    assert (two["language"], two["sql"], two["origin"], two["rows"]) == (
        "en",
        None,
        "abstained",
        [],
    )
    assert two["note"]


def test_a_database_that_is_not_there_and_one_outside_the_folder_are_refused(
    data: Path, tmp_path: Path
) -> None:
    for db in ("nowhere", "../../etc"):
        asked = tmp_path / "asked.jsonl"
        asked.write_text(
            json.dumps({"id": "a", "question": "How many?", "db": db}), encoding="utf-8"
        )
        with pytest.raises(CommandError, match="no folder of CSVs"):
            call_command(
                "predict_sql",
                questions=asked,
                tables=data / "spider" / "csv",
                out=tmp_path / "out.jsonl",
            )


def test_a_line_out_of_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text('{"id": "a", "question": "How many?"}\n', encoding="utf-8")
    with pytest.raises(Exception, match="needs id, question and db"):
        questions(path)
