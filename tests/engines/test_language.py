from __future__ import annotations

import pytest

from engines.language import content_words, detect, fold, stems


def test_folding_takes_case_accents_and_spaces() -> None:
    assert fold("  São   João\n da TALHA ") == "sao joao da talha"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Quantos clientes temos no Norte?", "pt"),
        ("How many customers do we have in the Norte region?", "en"),
        ("Quem dirige a fábrica de Águeda?", "pt"),
        ("Who runs the Águeda plant?", "en"),
        ("¿Cuántos clientes hay en la región?", "es"),
        ("Combien de clients avons-nous dans la région ?", "fr"),
        ("total de vendas em março", "pt"),
        ("total sales in March", "en"),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: str) -> None:
    assert detect(text) == language


def test_nothing_to_tell_by_gives_the_default() -> None:
    assert detect("1234", default="en") == "en"


def test_stems_meet_across_inflections() -> None:
    assert stems("informações", "pt") == stems("informação", "pt")
    assert stems("deliveries", "en") == stems("delivery", "en")


def test_content_words_leave_function_words_out() -> None:
    assert content_words("Qual é o prazo de entrega?", "pt") == ["prazo", "entrega"]
