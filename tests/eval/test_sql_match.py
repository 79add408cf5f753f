"""When two results say the same."""

import datetime as dt
from decimal import Decimal

import pytest

from eval.sql_match import same_answers, same_result


def test_numbers_agree_by_value_whatever_their_kind() -> None:
    assert same_result([(6, "0.10")], [(Decimal("6.0"), 0.1)], ordered=False)
    assert not same_result([(6,)], [(6.1,)], ordered=False)


def test_rows_are_a_bag_so_that_a_row_said_twice_is_not_one() -> None:
    assert same_result([("a",), ("b",), ("a",)], [("b",), ("a",), ("a",)], ordered=False)
    assert not same_result([("a",), ("b",), ("a",)], [("b",), ("b",), ("a",)], ordered=False)


def test_the_order_of_rows_counts_where_it_was_asked() -> None:
    assert not same_result([("a",), ("b",)], [("b",), ("a",)], ordered=True)
    assert same_result([("a",), ("b",)], [("a",), ("b",)], ordered=True)


def test_columns_may_stand_in_one_other_order_for_all_rows_but_none_is_added() -> None:
    assert same_result([("a", 1), ("b", 2)], [(1, "a"), (2, "b")], ordered=True)
    assert not same_result([("a", 1), (2, "b")], [("a", 1), ("b", 2)], ordered=False)
    assert not same_result([("a",)], [("a", 1)], ordered=False)


def test_days_and_truths_agree_with_the_texts_that_say_them_in_any_order_of_columns() -> None:
    found = [(dt.date(1986, 5, 26), True)]
    assert same_result([("May 26, 1986", "T")], found, ordered=False)
    assert same_result([("yes", "May 26, 1986")], found, ordered=False)
    assert not same_result([("May 27, 1986", "T")], found, ordered=False)


def test_nothing_is_equal_to_an_empty_cell_alone() -> None:
    assert same_result([(None,)], [("",)], ordered=False)
    assert not same_result([(None,)], [(0,)], ordered=False)
    assert same_result([], [], ordered=True)
    assert not same_result([], [(1,)], ordered=False)


@pytest.mark.parametrize(
    ("wanted", "found", "same"),
    [
        (["1,000"], [(1000,)], True),
        (["New York"], [("new york (city)",)], True),
        (["a", "b"], [("b",), ("a",)], True),
        (["a"], [("a",), ("b",)], False),
        (["17 years"], [(17,)], False),
    ],
)
def test_answers_of_web_tables_are_texts_folded(
    wanted: list[str], found: list[tuple[object, ...]], same: bool
) -> None:
    assert same_answers(wanted, found) is same
