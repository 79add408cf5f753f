from __future__ import annotations

import itertools

import pytest

from telemetry.charts import HEIGHT, WIDTH, bars, scale_end


@pytest.mark.parametrize(
    ("highest", "end"),
    [(0, 1), (-1, 1), (1, 1), (1.1, 2), (3, 5), (10, 10), (11, 20), (999, 1000), (0.03, 0.05)],
)
def test_a_scale_ends_at_a_round_number_that_holds_everything(highest: float, end: float) -> None:
    assert scale_end(highest) == pytest.approx(end)


def test_stacked_bars_stand_on_each_other_and_reach_their_sum() -> None:
    rects, top = bars([(2, 3)], [("two", "three")], stacked=True)
    low, high = rects
    assert top == 5
    assert low.y + low.height == pytest.approx(HEIGHT)
    assert high.y + high.height == pytest.approx(low.y)
    assert high.y == pytest.approx(0)
    assert low.height / high.height == pytest.approx(2 / 3, abs=0.01)
    assert (low.said, high.said, low.x) == ("two", "three", high.x)


def test_bars_side_by_side_stand_on_the_ground_and_do_not_overlap() -> None:
    rects, top = bars([(1, 2), (4, 5)], [("a", "b"), ("c", "d")], stacked=False)
    assert top == 5
    assert all(rect.y + rect.height == pytest.approx(HEIGHT) for rect in rects)
    ends = [(rect.x, rect.x + rect.width) for rect in rects]
    assert all(left[1] <= right[0] + 0.02 for left, right in itertools.pairwise(ends))
    assert ends[-1][1] <= WIDTH


def test_what_is_nothing_or_unknown_draws_nothing() -> None:
    assert bars([(None,), (0,)], [("",), ("",)], stacked=True) == ((), 1.0)
    assert bars([], [], stacked=True) == ((), 1.0)


def test_a_fixed_end_holds_whatever_comes() -> None:
    (rect,), top = bars([(150,)], [("much",)], stacked=True, end=100)
    assert top == 100
    assert rect.height == HEIGHT
