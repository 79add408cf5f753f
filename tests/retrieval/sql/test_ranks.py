"""Places in a ranking, rates per group, pieces without fault, and what must rather be left unsaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.retrieval.sql import toys
from tests.retrieval.sql.test_forms import asker, rows_of

if TYPE_CHECKING:
    from tests.retrieval.sql.test_forms import Ask

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(settings: Any) -> Ask:
    return asker(settings, [*toys.FILES, *toys.MORE])


@pytest.fixture
def ask_kilns(settings: Any) -> Ask:
    return asker(settings, [*toys.APART])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Which region came second in sales in 2025?"),
        ("pt", "Que região ficou em segundo lugar em vendas em 2025?"),
        ("en", "After the Norte, which region sold the most in 2025?"),
        ("pt", "A seguir ao Norte, que região vendeu mais em 2025?"),
    ],
)
def test_a_place_in_the_ranking_is_told(ask: Ask, language: str, text: str) -> None:
    assert rows_of(ask(text, language)) == [("Centro", 900.0)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Rank the regions by revenue in 2025"),
        ("pt", "Ordena as regiões por valor em 2025"),
    ],
)
def test_a_ranking_lists_all_groups_in_order(ask: Ask, language: str, text: str) -> None:
    assert rows_of(ask(text, language)) == [("Norte", 1200.0), ("Centro", 900.0), ("Sul", 150.2)]


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "Leaving the Norte aside, which region sold the most in 2025?", "Centro"),
        ("pt", "Tirando o Norte, que região vendeu mais em 2025?", "Centro"),
        ("pt", "Deixando o Norte de fora, que região vendeu mais em 2025?", "Centro"),
        ("en", "What was the best month of 2024 for sales?", "2024-01-01"),
        ("pt", "Qual foi o melhor mês de vendas de 2024?", "2024-01-01"),
    ],
)
def test_the_largest_of_what_is_left_or_of_months(
    ask: Ask, language: str, text: str, wanted: str
) -> None:
    assert str(rows_of(ask(text, language))[0][0]) == wanted


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "Which kiln had the worst defect rate in 2024?", [("F-2", 6.0)]),
        ("pt", "Qual o forno com maior taxa de defeitos em 2024?", [("F-2", 6.0)]),
        ("pt", "Qual o forno com melhor taxa de defeitos em 2024?", [("F-1", 1.8)]),
        ("en", "Defect rate by kiln in 2024", [("F-2", 6.0), ("F-3", 3.0), ("F-1", 1.8)]),
        ("en", "Which kilns had a defect rate above 2% in 2024?", [("F-2", 6.0), ("F-3", 3.0)]),
        ("pt", "Quantos fornos tiveram taxa de defeitos acima de 2 % em 2024?",
         [("F-2", 6.0), ("F-3", 3.0)]),
        ("en", "How many pieces without defects left F-1 in 2024?", [(2455.0,)]),
        ("pt", "Quantas peças sem defeito saíram do F-1 em 2024?", [(2455.0,)]),
        ("pt", "Peças cozidas por trimestre em 2024", [(1, 2600.0), (2, 800.0)]),
        ("en", "Pieces fired by quarter in 2024", [(1, 2600.0), (2, 800.0)]),
        ("en", "How many pieces were fired by all the kilns in 2024?", [(3400.0,)]),
        ("pt", "Que forno cozeu mais peças em 2024 e quantas foram?", [("F-1", 2500.0)]),
    ],
)  # fmt: skip
def test_rates_and_sums_of_kilns(ask_kilns: Ask, language: str, text: str, wanted: Any) -> None:
    found = [tuple(c if isinstance(c, str) else round(float(c), 6) for c in row)
             for row in rows_of(ask_kilns(text, language))]  # fmt: skip
    assert found == wanted


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("pt", "Em média, quantas peças leva cada encomenda do Norte em 2025?", [(6.0,)]),
        ("en", "How many pieces does an order from the Norte contain on average in 2025?", [(6.0,)]),
        ("en", "What did we pay for Madeira in 2025?", [(1470.0,)]),
        ("pt", "Quanto nos custou a madeira em 2025?", [(1470.0,)]),
        ("en", "What do the gross salaries of the Oficina department add up to?", [(4650.0,)]),
        ("en", "What is our stock in Braga worth at cost?", [(2950.5,)]),
        ("pt", "Quanto vale o stock de Braga a preço de custo?", [(2950.5,)]),
        ("en", "Sales in January: 2024 versus 2025", [(900.0, 600.0)]),
        ("pt", "Vendas de janeiro: 2024 contra 2025", [(900.0, 600.0)]),
        ("pt", "Que materiais comprámos e quanto se gastou em cada um?",
         [("Madeira", 1470.0), ("Tinta", 1210.0), ("Vidro", 500.0)]),
    ],
)  # fmt: skip
def test_ordinary_words_of_business(ask: Ask, language: str, text: str, wanted: Any) -> None:
    assert rows_of(ask(text, language)) == wanted


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("pt", "Que artigos estão abaixo do mínimo?"),
        ("en", "Which articles are below the minimum?"),
    ],
)
def test_amounts_below_their_own_minimum(ask: Ask, language: str, text: str) -> None:
    found = ask(text, language)
    assert {row[0] for row in rows_of(found)} == {"Mesa de jantar", "Cadeira alta"}


def test_the_largest_order_is_one_row_and_not_a_count(ask: Ask) -> None:
    found = ask("Which region placed the largest order in 2025?", "en")
    assert found.table is not None
    assert found.table.rows[0][-1] == 800
    assert "count" not in found.table.sql.lower()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What did we pay per tonne of Madeira in 2025?"),
        ("en", "Sales of 2024 against December 2025"),
        ("pt", "Vendas depois do Norte em 2024"),
        ("pt", "A que produto pertence o Norte?"),
        ("en", "Which employee reports to Ana Couto?"),
        ("en", "Which region in the Norte sold the most?"),
    ],
)
def test_what_no_sum_answers_is_left_unsaid(ask: Ask, language: str, text: str) -> None:
    found = ask(text, language)
    assert found.table is None, found.table and found.table.plan
    assert found.note


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "and how much did we sell in it?"),
        ("pt", "e quanto se gastou em cada um?"),
    ],
)
def test_a_pronoun_of_another_sentence_is_not_passed_over(
    ask: Ask, language: str, text: str
) -> None:
    assert ask(text, language).table is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Who sold us the most in 2025?"),
        ("pt", "Quem ficou em primeiro nas compras de 2025?"),
    ],
)
def test_suppliers_sell_to_us(ask: Ask, language: str, text: str) -> None:
    assert rows_of(ask(text, language)) == [("Serração Alta", 1470.0)]


def test_who_bought_is_never_a_supplier(ask: Ask) -> None:
    found = ask("Who bought the most in 2025?", "en")
    assert found.table is None or found.table.table_title != "compras"


def test_an_order_above_a_number_is_one_row(ask: Ask) -> None:
    found = ask("Which regions placed an order over 500 euros in 2025?", "en")
    assert {row[0] for row in rows_of(found)} == {"Centro", "Norte"}
    found = ask("Which regions had sales above 850 euros in 2025?", "en")
    assert rows_of(found) == [("Norte", 1200.0), ("Centro", 900.0)]
