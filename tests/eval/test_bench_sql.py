"""The made-up catalogue on which the reading of questions is timed."""

import datetime as dt

import pytest

from eval import bench_sql
from retrieval.sql.joined.plan import Joined
from retrieval.sql.understood import understood


def test_its_questions_are_read_but_for_the_one_with_an_unknown_word() -> None:
    tables = bench_sql.catalogue()
    read = [
        isinstance(
            understood(
                text.format(a="ship", b="captain"),
                tables,
                language="en",
                today=dt.date(2025, 12, 15),
            ),
            Joined,
        )
        for text in bench_sql.QUESTIONS
    ]
    assert read == [True] * (len(read) - 1) + [False]


@pytest.mark.django_db
def test_a_question_is_read_against_twenty_tables_in_a_few_milliseconds() -> None:
    taken, guarded, read = bench_sql._compiling(bench_sql.catalogue())
    assert read > 100
    # Far above what is measured, so that a busy machine does not fail it.
    assert sorted(taken)[len(taken) // 2] < 500
    assert sorted(guarded)[len(guarded) // 2] < 250
