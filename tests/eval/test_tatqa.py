"""TAT-QA: which questions are asked, how a page is laid out, and what counts as right."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from corpus.models import DataTable
from eval.collection import CollectionInvalid
from eval.tatqa import ASKED, Asked, Question, asked, pages_read, read, tatqa_figures
from eval.tatqa_match import Gold, Said, gold_of, matches, stands

if TYPE_CHECKING:
    from pathlib import Path

KILNS = [["", "2019", "2018"], ["Kiln wages", "1,452.4", "1,146.2"], ["Fuel", "44.1", "56.7"]]


def page(key: str, questions: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "table": {"uid": f"{key}-table", "table": KILNS},
        "paragraphs": [
            {"uid": "b", "order": 2, "text": "The tunnel kiln is fired with gas since 2011."},
            {"uid": "a", "order": 1, "text": "Costs of the kilns are given in thousands of euros."},
        ],
        "questions": questions,
    }


def question(uid: str, text: str, answer: object, source: str, scale: str = "") -> dict[str, Any]:
    return {
        "uid": uid,
        "question": text,
        "answer": answer,
        "answer_from": source,
        "scale": scale,
    }


def laid(folder: Path, pages: list[dict[str, Any]]) -> Path:
    (folder / "tatqa").mkdir()
    (folder / "tatqa" / "tatqa_dataset_dev.json").write_text(json.dumps(pages))
    return folder


@pytest.mark.parametrize(
    ("said", "said_scale", "gold", "scale", "right"),
    [
        (("$1,496.5",), "million", ("1496.5",), "million", True),
        (("1,496.5",), "", ("1496.5",), "million", False),
        (("1,496,500,000",), "", ("$1,496.5",), "million", True),
        (("(12.6)",), "million", ("-12.6",), "million", True),
        (("−12.6",), "million", ("12.6",), "million", False),
        (("-22.22%",), "", ("-22.22",), "percent", True),
        (("-22.22",), "percent", ("-22.22",), "percent", True),
        (("$46.4 million",), "", ("$46.4 million",), "", True),
        (("The Fully-Paid licences",), "", ("fully paid licences.",), "", True),
        (("2018", "2019"), "", ("2019", "2018"), "", True),
        (("2018",), "", ("2019", "2018"), "", False),
        (("2018", "2018"), "", ("2018",), "", False),
    ],
)
def test_a_value_is_right_by_what_it_is_worth(
    said: tuple[str, ...], said_scale: str, gold: tuple[str, ...], scale: str, right: bool
) -> None:
    assert matches(Said((said,), said_scale), Gold(gold, scale)) is right


def test_every_value_has_to_stand_in_what_is_told() -> None:
    told = "“Wages rose by $ (12.6) to 1,452.4 in the tunnel kiln.” [1]"
    assert stands(told, Gold(("-12.6", "1452.4"), "million"))
    assert stands(told, Gold(("The tunnel kiln",)))
    assert not stands(told, Gold(("12.7",)))


def test_a_scale_that_is_none_is_refused() -> None:
    assert gold_of(question("q", "?", 3, "table", "million")) == Gold(("3",), "million")
    with pytest.raises(ValueError, match="dozen"):
        gold_of(question("q", "?", 3, "table", "dozen"))


def test_the_sample_is_those_of_the_smallest_hashes(tmp_path: Path) -> None:
    rows = [question(f"q{n}", f"What was {n}?", str(n), "table") for n in range(ASKED + 40)]
    pages, chosen = read(laid(tmp_path, [page("one12345", rows[:-1]), page("two12345", rows[-1:])]))
    hashes = sorted(hashlib.sha256(row["uid"].encode()).hexdigest() for row in rows)[:ASKED]
    assert [hashlib.sha256(q.uid.encode()).hexdigest() for q in chosen] == hashes
    assert len(pages) == len({q.page for q in chosen})
    with pytest.raises(CollectionInvalid, match="cannot be read"):
        read(tmp_path / "nowhere")


def test_what_needs_both_stores_counts_at_either_and_strictly_at_both() -> None:
    def made(source: str, *routes: str) -> Asked:
        asks = Question("u", "p", "q?", source, Gold(("1",)))
        return Asked(asks, routes, routes, "", Said(()), ())

    for source, routes, right, strict in (
        ("table", ["relational"], True, True),
        ("table", ["vectorial"], False, False),
        ("text", ["graph"], False, False),
        ("table-text", ["vectorial"], True, False),
        ("table-text", ["relational", "vectorial"], True, True),
        ("text", ["relational", "vectorial"], False, False),
    ):
        row = made(source, *routes)
        assert (row.routed, row.strictly) == (right, strict)
    assert tatqa_figures([])["tatqa_em"] is None


@pytest.mark.django_db
def test_a_question_is_asked_of_its_own_page(tmp_path: Path) -> None:
    rows = [
        question("q1", "How is the tunnel kiln fired?", ["with gas"], "text"),
        question("q2", "What is the value of Fuel in 2018?", ["56.7"], "table", "thousand"),
    ]
    other = page("bbbbbbbb", [question("q3", "How is the other kiln fired?", ["wood"], "text")])
    other["paragraphs"][0]["text"] = "The tunnel kiln of the other plant is fired with wood."
    other["table"]["table"] = [["", "2019", "2018"], ["Fuel", "3.1", "9.9"], ["Clay", "2", "4"]]
    pages, chosen = read(laid(tmp_path, [page("aaaaaaaa", rows), other]))
    workspace, user = pages_read(pages, lambda _: None)
    assert DataTable.objects.in_workspace(workspace).count() == 2
    again, _ = pages_read(pages, lambda _: None)
    assert again == workspace
    found = {row.question.uid: row for row in (asked(workspace, user, q) for q in chosen)}
    assert found["q1"].stands
    assert "wood" not in found["q1"].answer
    assert "wood" in found["q3"].answer
