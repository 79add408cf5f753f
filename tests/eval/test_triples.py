"""A graph made of triples that come with a collection."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from corpus.models import Entity, Mention, Relation
from engines.registry import embedder
from eval.collection import CollectionInvalid, Item, load
from eval.triples import graph_given, triples_of

if TYPE_CHECKING:
    from pathlib import Path

PASSAGES = [
    Item("b1", "Honey bees store nectar. Ana Prado keeps them.", "Bees"),
    Item("b2", "The bridge hangs from cables that Rui Costa spun.", "Bridges"),
]


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.django_db
def test_triples_take_the_place_of_what_the_rules_read(tmp_path: Path) -> None:
    held = load(PASSAGES, say=lambda _: None, apart="given")
    path = written(
        tmp_path / "t.jsonl",
        {"id": "b1", "entities": ["nectar"], "triples": [["bees", "kept by", "Ana Prado"]]},
        {"id": "b2", "triples": [["Rui Costa", "brother of", "Ana Prado"], ["two", "x"], ["", "is", "x"]]},
    )  # fmt: skip
    for _ in range(2):  # the second time they stand already
        assert graph_given(held, triples_of(path)) == 2
    facts = Relation.objects.in_workspace(held.workspace)
    assert {(fact.subject.name, fact.predicate, fact.object.name) for fact in facts} == {
        ("bees", "kept by", "Ana Prado"), ("Rui Costa", "brother of", "Ana Prado"),
    }  # fmt: skip
    names = Entity.objects.in_workspace(held.workspace)
    assert {name.name for name in names} == {"bees", "nectar", "Ana Prado", "Rui Costa"}
    assert all(name.embedding is not None for name in names if name.name != "nectar")
    shared = Mention.objects.filter(entity__name="Ana Prado", entity__workspace=held.workspace)
    assert shared.count() == 2
    question = "Who is the brother of Ana Prado?"
    [first, *_] = held.search(question, embedder().queries([question])[0], "graph")
    assert first.id == "b2"


def test_a_file_out_of_form_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(CollectionInvalid, match="line 1: without triples"):
        triples_of(written(tmp_path / "t.jsonl", {"id": "b1"}))
    with pytest.raises(CollectionInvalid, match="line 2: entities and triples are no lists"):
        triples_of(
            written(tmp_path / "t.jsonl", {"id": "a", "triples": []}, {"id": "b", "triples": "x"})
        )
