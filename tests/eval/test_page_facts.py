from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from corpus.values import Block
from eval.page_facts import FactsInvalid, Reading, facts, holds, reading_of

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Reading(
    "The “vision”\nof our   plant – told by hand. Page 9",
    grids=((("Source", "Words", "Bytes"), ("arXiv", "3.71T", "11.8B"), ("Wiki", "3.32T", "4B")),),
)


def fact(**said: Any) -> dict[str, Any]:
    return {"pdf": "a.pdf", "type": "table" if "cell" in said else "present", **said}


@pytest.mark.parametrize(
    ("said", "true"),
    [
        (fact(text='The "vision" of our plant - told'), True),
        (fact(text="the vision"), False),
        (fact(text='THE "VISION"', case_sensitive=False), True),
        (fact(text="told by hands", max_diffs=1), True),
        (fact(text="told bye hands", max_diffs=1), False),
        (fact(text="Page 9", type="absent"), False),
        (fact(text="Page 8", type="absent"), True),
        (fact(text="9", type="absent", last_n=3), False),
        (fact(text="vision", type="absent", last_n=3), True),
        (fact(text="vision", first_n=10, type="absent"), True),
        ({"pdf": "a.pdf", "type": "order", "before": "vision", "after": "plant"}, True),
        ({"pdf": "a.pdf", "type": "order", "before": "plant", "after": "vision"}, False),
        ({"pdf": "a.pdf", "type": "order", "before": "plant", "after": "moon"}, False),
        (fact(cell="3.32T"), True),
        (fact(cell="3.33T"), False),
        (fact(cell="3.32T", up="3.71T", left="Wiki", right="4B"), True),
        (fact(cell="3.32T", down="3.71T"), False),
        (fact(cell="3.71T", top_heading="Words", left_heading="arXiv"), True),
        (fact(cell="3.71T", top_heading="Bytes"), False),
        (fact(cell="Words", up=""), True),
    ],
)
def test_a_fact_holds_only_when_the_reading_bears_it_out(said: dict[str, Any], true: bool) -> None:
    assert holds(said, PAGE) is true


def test_running_headers_are_no_part_of_what_is_judged() -> None:
    blocks = [
        Block("furniture", "Annual report"),
        Block("paragraph", "Sales rose."),
        Block("table", "a | b", grid=(("a", "b"),)),
    ]
    reading = reading_of(blocks)
    assert reading == Reading("Sales rose.\na | b", ((("a", "b"),),))


def test_objects_may_share_a_line_and_a_broken_one_is_named(tmp_path: Path) -> None:
    held = tmp_path / "facts.jsonl"
    held.write_text('{"pdf": "a", "type": "math"}{"pdf": "b", "type": "order"}\n\n')
    assert [item["pdf"] for item in facts(held)] == ["a", "b"]
    held.write_text('{"pdf": "a", "type": "math"}\n{"pdf": ')
    with pytest.raises(FactsInvalid, match="character 29"):
        facts(held)
    held.write_text('{"text": "x"}')
    with pytest.raises(FactsInvalid, match="no pdf or no type"):
        facts(held)
