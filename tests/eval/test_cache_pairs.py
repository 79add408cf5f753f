from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eval.cache_pairs import Pair, rates, read
from eval.collection import CollectionInvalid
from retrieval.guard import Decision, decide, signature

if TYPE_CHECKING:
    from pathlib import Path


def decided(one: str, other: str, cosine: float) -> Decision:
    return decide(signature(one), signature(other), same_words=False, cosine=cosine, near=0.96)


def test_the_decision_says_what_it_was_made_by() -> None:
    one = "What were the sales of Farol in 2024?"
    assert decided(one, "What were the sales of Farol in 2025?", 0.99).reason == "numbers"
    assert decided(one, "What were the Farol sales in 2024?", 0.5).reason == "cosine"
    assert decided(one, "What were the Farol sales in 2024?", 0.99).hit


def test_the_very_same_words_hit_whatever_the_cosine() -> None:
    held = signature("What is sold?")
    assert decide(held, held, same_words=True, cosine=0.0, near=0.96).hit


def test_rates_count_hits_apart_for_pairs_of_one_answer_and_of_two() -> None:
    pairs = [Pair("a", "b", 1), Pair("c", "d", 1), Pair("e", "f", 0)]
    made = [Decision(True, 1, ""), Decision(False, 1, ""), Decision(True, 1, "")]
    assert rates(pairs, made) == {"false": 1.0, "false_pairs": 1, "true": 0.5, "true_pairs": 2}


@pytest.mark.parametrize("line", ['{"a": "only one"}', "no json", "[1, 2]"])
def test_a_file_without_pairs_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(CollectionInvalid, match="line 1"):
        read(path)
