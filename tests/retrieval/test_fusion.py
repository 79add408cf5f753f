from __future__ import annotations

import pytest

from retrieval.fusion import rrf


def test_a_key_in_both_lists_wins_over_the_first_of_one() -> None:
    fused = rrf({"vector": ["a", "b", "c"], "words": ["b", "d"]})
    assert [item.key for item in fused][:2] == ["b", "a"]
    assert fused[0].ranks == {"vector": 2, "words": 1}
    assert fused[0].score == pytest.approx(1 / 62 + 1 / 61)


def test_a_weight_scales_one_list_only() -> None:
    fused = rrf({"vector": ["a"], "words": ["b"]}, weights={"words": 0.4})
    assert {item.key: item.score for item in fused} == pytest.approx({"a": 1 / 61, "b": 0.4 / 61})


def test_a_key_that_stands_twice_in_a_list_counts_once() -> None:
    assert rrf({"vector": ["a", "a"]})[0].score == pytest.approx(1 / 61)


def test_nothing_fuses_to_nothing() -> None:
    assert rrf({"vector": [], "words": []}) == []
