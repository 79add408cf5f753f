"""Turns of phrase, and stored values said in the other language."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.sql.compiler import compile_question
from retrieval.sql.plan import Plan
from tests.retrieval.sql import toys
from tests.retrieval.sql.test_forms import asker, rows_of

if TYPE_CHECKING:
    from tests.retrieval.sql.test_forms import Ask

pytestmark = pytest.mark.django_db
TODAY = dt.date(2026, 1, 10)


@pytest.fixture
def ask(settings: Any) -> Ask:
    return asker(settings, [*toys.FILES, *toys.MORE])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("How many dining tables in oak do we have in stock?", [(12,)]),
        ("How much wood did we buy in 2025, in tonnes?", [(14.5,)]),
        ("What did we pay Tintas Lua in 2025?", [(1210.0,)]),
        ("What is the average salary in the accounting department?", [(1750.0,)]),
        ("Average gross salary of the painters?", [(1200.0,)]),
    ],
)
def test_values_are_found_in_the_other_language(
    ask: Ask, text: str, wanted: list[tuple[Any, ...]]
) -> None:
    assert rows_of(ask(text, "en")) == wanted


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "On what date did we make our first sale in the Sul?", dt.date(2024, 1, 22)),
        ("pt", "Em que data fizemos a primeira venda no Sul?", dt.date(2024, 1, 22)),
        ("en", "Who has been in the Oficina the longest?", "Tó Brandão"),
        ("en", "Who joined first in Braga?", "Tó Brandão"),
        ("pt", "Quem entrou primeiro para a Contabilidade?", "Eva Pinho"),
        ("en", "What did the Norte bring in during 2025?", 1200.0),
        ("en", "Which warehouse holds the most stock by value at cost?", "Braga"),
        ("en", "What is the smallest amount on one sale in the Sul?", 50.0),
    ],
)
def test_turns_of_phrase(ask: Ask, language: str, text: str, wanted: object) -> None:
    assert rows_of(ask(text, language))[0][0] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "What is the most we paid for a tonne of wood?",  # no price stands in the table
        "Which first impressions do customers have in the Norte?",
        "How many wooden houses did we buy?",
    ],
)
def test_what_the_table_does_not_hold_is_left_alone(text: str) -> None:
    tables = [toys.plain(name) for name in [*toys.FILES, *toys.MORE]]
    assert not isinstance(compile_question(text, tables, language="en", today=TODAY), Plan)
