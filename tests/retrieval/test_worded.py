from __future__ import annotations

import math

import pytest

from corpus.selectors import chunks_live
from engines.registry import embedder
from retrieval.text_store import _match
from retrieval.worded import worded
from tests.factories import ingest, make_user, make_workspace

pytestmark = pytest.mark.django_db


def test_a_passage_scores_the_summed_rarity_of_the_words_it_holds() -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "a.md", "O forno precisa de manutenção.\n")
    ingest(workspace, owner, "b.md", "O forno está frio.\n")
    ingest(workspace, owner, "c.md", "A sala tem cadeiras.\n")
    rows = chunks_live(workspace, owner)
    total = rows.count()
    vector = embedder().queries(["forno"])[0]

    words = [_match("forno", "pt"), _match("manutenção", "pt")]
    found = worded(rows, words, vector, total=total, many=5)

    def rarity(seen: int) -> float:
        return math.log(1 + (total - seen + 0.5) / (seen + 0.5))

    named = dict(rows.values_list("pk", "document__name"))
    assert [named[row.pk] for row in found] == ["a.md", "b.md"]
    assert [row.score for row in found] == pytest.approx([rarity(2) + rarity(1), rarity(2)])
    assert len(worded(rows, words, vector, total=total, many=1)) == 1
