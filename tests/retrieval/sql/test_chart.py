from __future__ import annotations

from typing import Any

import pytest

from retrieval.sql.chart import WIDTH, chart_of
from retrieval.sql.csv_rows import csv_lines


def test_bars_are_as_long_as_their_amounts() -> None:
    made = chart_of(["city", "result"], [["Oslo", "10.00"], ["Bergen", 5], [None, 0]])

    assert made is not None
    assert [bar.width for bar in made.bars] == [WIDTH, WIDTH / 2, 0.5]
    assert made.bars[2].label == "–"


def test_amounts_below_nought_lie_left_of_it() -> None:
    made = chart_of(["city", "result"], [["Oslo", -5], ["Bergen", 15]])

    assert made is not None
    assert made.zero == WIDTH / 4
    assert (made.bars[0].x, made.bars[0].width) == (0, WIDTH / 4)
    assert (made.bars[1].x, made.bars[1].width) == (WIDTH / 4, WIDTH * 3 / 4)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (["result"], [[5]]),
        (["city", "result"], [["Oslo", 5]]),
        (["city", "result"], [[f"c{n}", n] for n in range(25)]),
        (["city", "result"], [["Oslo", 5], ["Bergen", None]]),
        (["city", "result"], [["Oslo", "many"], ["Bergen", 5]]),
        (["city", "result"], [["Oslo", 0], ["Bergen", 0]]),
        (["amount", "result"], [[99999, 5], [88888, 6]]),
        (["city", "day", "result"], [["Oslo", "x", 5], ["Bergen", "y", 6]]),
        (["city", "result"], [["Oslo", True], ["Bergen", False]]),
        (["city", "result"], [["Oslo", "nan"], ["Bergen", "5"]]),
    ],
)
def test_what_is_no_small_series_has_no_chart(columns: list[str], rows: list[list[Any]]) -> None:
    assert chart_of(columns, rows) is None


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(cell: str) -> None:
    assert "'" + cell.strip() in "".join(csv_lines(["a"], [(cell,)])).replace("\t", "").replace(
        "\r", ""
    )


def test_numbers_stay_numbers_and_nothing_stays_empty() -> None:
    assert list(csv_lines(["a", "b"], [(-5, None)]))[1:] == ["a,b\r\n", "-5,\r\n"]
