"""Public collections: the layout, the figures, and the commands that others can score."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from eval.collection import CollectionInvalid, items, judged, lines_of
from eval.finding import all_in, ndcg, recall
from eval.routing_run import alike, compound_figures
from retrieval import text_store
from teams.models import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CORPUS = [
    {"_id": "b1", "title": "Bees", "text": "Honey bees store nectar in wax cells of the hive."},
    {"_id": "b2", "title": "Bridges", "text": "The suspension bridge hangs from two steel cables."},
    {"_id": "b3", "title": "Bread", "text": "Sourdough bread rises overnight with wild yeast."},
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_figures_by_hand() -> None:
    assert ndcg(["a", "x", "b"], {"a", "b"}) == pytest.approx((1 + 0.5) / (1 + 0.63093), abs=1e-4)
    assert ndcg(["x"], {"a"}) == 0 == ndcg(["x"], set())
    assert recall(["a", "x"], {"a", "b"}) == 0.5
    assert (all_in(["a", "b"], {"a", "b"}), all_in(["a"], {"a", "b"}), all_in([], set())) == (
        1, 0, 0,
    )  # fmt: skip
    assert alike("Who owns it?", "who owns it") == 1 and alike("yes", "no") == 0


def test_parts_are_counted_once_and_torn_questions_told() -> None:
    rows = [
        {"q": "Who owns the mill? And when was it built?", "lang": "en",
         "parts": [{"q": "Who owns the mill?"}, {"q": "When was it built?"}]},
        {"q": "Which rivers and lakes are deep?", "lang": "en", "parts": [{"q": "all of it"}]},
    ]  # fmt: skip
    assert compound_figures(rows) == {
        "compound_parts": 1.0, "compound_n": 2, "false_splits": 0, "single_n": 1,
    }  # fmt: skip


def test_a_file_out_of_layout_is_named_with_its_line(tmp_path: Path) -> None:
    bad = tmp_path / "corpus.jsonl"
    bad.write_text('{"_id": "a", "text": "x"}\nnot json\n', encoding="utf-8")
    with pytest.raises(CollectionInvalid, match="line 2: not JSON"):
        lines_of(bad)
    with pytest.raises(CollectionInvalid, match="cannot be read"):
        lines_of(tmp_path / "missing.jsonl")
    with pytest.raises(CollectionInvalid, match="entry 1: none of text"):
        items(written(bad, [{"_id": "a"}]), "text")
    with pytest.raises(CollectionInvalid, match="holds nothing"):
        items(written(bad, []), "text")
    marks = tmp_path / "qrels.tsv"
    marks.write_text("query-id\tcorpus-id\tscore\nq1\tb1\t1\nq1\tb2\t0\n", encoding="utf-8")
    assert judged(marks) == {"q1": {"b1"}}
    marks.write_text("query-id\tcorpus-id\tscore\nq1 b1 1\n", encoding="utf-8")
    with pytest.raises(CollectionInvalid, match="line 2: not query, passage"):
        judged(marks)
    bad.write_bytes(b'{"_id": "a", "text": "caf\xe9"}')
    with pytest.raises(CollectionInvalid, match="not UTF-8"):
        lines_of(bad)
    with pytest.raises(CollectionInvalid, match="line 1: without gold_ids"):
        lines_of(written(bad, [{"q": "x"}]), "q", "gold_ids")


@pytest.mark.django_db
@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword", "graph"])
def test_retrieve_writes_the_run(tmp_path: Path, mode: str) -> None:
    corpus = written(tmp_path / "corpus.jsonl", CORPUS)
    asked = written(tmp_path / "q.jsonl", [{"_id": "q1", "text": "What hangs from steel cables?"}])
    out = tmp_path / "run.jsonl"
    for _ in range(2):  # the second time the collection is taken as it stands
        call_command("retrieve", corpus=corpus, queries=asked, mode=mode, out=out, top=2)
    [line] = lines_of(out)
    assert (line["_id"], line["mode"]) == ("q1", mode)
    assert line["hits"][0]["_id"] == "b2"
    assert len(line["hits"]) <= 2
    assert Workspace.objects.filter(slug__startswith="collection-").count() == 1


@pytest.mark.django_db
def test_route_writes_each_part_with_its_numbers(tmp_path: Path) -> None:
    asked = written(
        tmp_path / "q.jsonl",
        [{"q": "How many bridges were sold in March? And who is the sister of Ana?"}],
    )
    out = tmp_path / "routes.jsonl"
    call_command("route", questions=asked, out=out)
    [line] = lines_of(out)
    assert len(line["parts"]) == 2
    assert line["parts"][0]["text"] == "How many bridges were sold in March?"
    for part in line["parts"]:
        assert set(part["scores"]) == {"relational", "vectorial", "graph"}
        assert part["stage"] in {"cosine", "evidence", "fallback"}
    with pytest.raises(CommandError, match="no workspace"):
        call_command("route", questions=asked, out=out, workspace="nowhere")


def test_bad_arguments_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="1 to 30"):
        call_command("retrieve", corpus=tmp_path, queries=tmp_path, out=tmp_path, top=0)
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("route", questions=tmp_path / "q", out=tmp_path / "none" / "out.jsonl")
    search: Any = text_store.search
    with pytest.raises(ValueError, match="none of hybrid"):
        search(workspace=None, user=None, text="", vector=None, language="en", mode="magic")
    monkeypatch.delenv("POLYRAG_BENCH_DIR", raising=False)
    with pytest.raises(CommandError, match="--data or POLYRAG_BENCH_DIR"):
        call_command("evaluate_finding")
