from __future__ import annotations

import time

import pytest

from routing.clauses import MOST_PARTS, split


def texts(message: str, language: str) -> list[str]:
    return [clause.text for clause in split(message, language)]


@pytest.mark.parametrize(
    ("language", "message", "parts"),
    [
        (
            "en",
            "Who directs Vagos and how many people work there?",
            ["Who directs Vagos?", "How many people work at Vagos?"],
        ),
        (
            "en",
            "What region is Kabul in? And how do schools differ?",
            ["What region is Kabul in?", "How do schools differ?"],
        ),
        (
            "en",
            "Total sales by region; average salary by plant; who is the CEO?",
            ["Total sales by region.", "Average salary by plant.", "Who is the CEO?"],
        ),
        (
            "en",
            "Count the suppliers. Also, what must visitors wear?",
            ["Count the suppliers.", "What must visitors wear?"],
        ),
        (
            "pt",
            "Quem dirige a fábrica de Vagos e quem fornece o caulino?",
            ["Quem dirige a fábrica de Vagos?", "Quem fornece o caulino?"],
        ),
        (
            "pt",
            "Conte os modelos. E também: em que ano fechou a fábrica?",
            ["Conte os modelos.", "Em que ano fechou a fábrica?"],
        ),
        (
            "pt",
            "quem dirige vagos quantos funcionarios tem tomar",
            ["Quem dirige vagos?", "Quantos funcionarios tem tomar?"],
        ),
        (
            "es",
            "¿Quién es el director y cuánto vendimos en 2024?",
            ["¿Quién es el director?", "Cuánto vendimos en 2024?"],
        ),
        (
            "fr",
            "Qui dirige l'usine et combien de personnes y travaillent ?",
            ["Qui dirige l'usine?", "Combien de personnes y travaillent ?"],
        ),
        (
            "pt",
            "Quantos funcionários tem Vagos?quem dirige Tomar?",
            ["Quantos funcionários tem Vagos?", "Quem dirige Tomar?"],
        ),
        (
            "en",
            "What is the name of each maker? Also, who found that each of them was wrong?",
            ["What is the name of each maker?", "Who found that each of them was wrong?"],
        ),
    ],
)
def test_a_message_of_several_questions_is_cut(
    language: str, message: str, parts: list[str]
) -> None:
    assert texts(message, language) == parts


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "What were the sales in the North and the South?"),
        ("en", "Who directs Vagos and reports to Benedita Falcão?"),
        (
            "en",
            "Return the cities that are in Asia and for which Chinese is the official language.",
        ),
        (
            "en",
            "What is the name of each maker, along with its id and how many models it produces?",
        ),
        ("en", "What are the countries with a car maker? List name and id."),
        ("en", "When a tank leaks, what should I do?"),
        ("en", "What are the names of the makers and how many models do they build?"),
        ("en", "What are the template codes, and how many templates correspond to each?"),
        ("en", "Count the models of each maker and what is the id of each maker?"),
        ("en", "Find the visitors above level 4, and order the results by the level."),
        ("en", "Which film came later, Oh-Baby! or The Underworld?"),
        ("pt", "Os estágios foram analisados ??com base em dados de quantos poços?"),
        ("en", "Who signed the contract and when?"),
        ("en", "What do the people who live in Vagos and who work in Tomar earn?"),
        ("pt", "Que empresas fornecem Vagos e que pertencem ao grupo Minermonte?"),
        ("pt", "Quando há um derrame, quem devo chamar?"),
        ("pt", "Como e quando se faz a manutenção?"),
        ("pt", "O que deve fazer quem perde o cartão de acesso?"),
        ("es", "¿Cuáles son las ventas en el norte y el sur?"),
        ("fr", "Quelles sont les ventes du nord et du sud ?"),
        ("de", "Wer leitet das Werk und wo liegt es?"),
    ],
)
def test_one_question_stays_whole(language: str, message: str) -> None:
    assert texts(message, language) == [message]


@pytest.mark.parametrize(
    ("language", "message", "second"),
    [
        ("en", "How much did we sell in May? And in June?", "How much did we sell in June?"),
        ("en", "How much did we sell in May, and in June?", "How much did we sell in June?"),
        (
            "en",
            "How much stock of Ria is left? What about Maré?",
            "How much stock of Maré is left?",
        ),
        ("pt", "Quantos funcionários tem Tomar? E Loulé?", "Quantos funcionários tem Loulé?"),
        (
            "pt",
            "Quanto gastámos em argila em 2025? E em 2024?",
            "Quanto gastámos em argila em 2024?",
        ),
        (
            "pt",
            "Quantas pessoas tem a fábrica de Tomar? E a de Loulé?",
            "Quantas pessoas tem a fábrica de Loulé?",
        ),
    ],
)
def test_the_rest_of_a_question_takes_its_frame(language: str, message: str, second: str) -> None:
    assert texts(message, language)[1] == second


def test_what_was_said_is_kept_beside_the_full_question() -> None:
    first, second = split("Quem gere a linha Ria? E a quem reporta ele?", "pt")

    assert (first.position, second.position) == (0, 1)
    assert second.said == "E a quem reporta ele?"
    assert second.text == "A quem reporta ele (linha Ria)?"


def test_a_greeting_and_a_context_stay_with_the_question() -> None:
    alone = "Olá, bom dia! Sou novo na empresa. Quantos dias de férias tenho?"
    first, second = split("We had a spill. What do I do? The press broke. Who repairs it?", "en")

    assert texts(alone, "pt") == [alone]
    assert first.text == "We had a spill. What do I do?"
    assert second.said == "The press broke. Who repairs it?"


def test_thanks_at_the_end_are_no_part() -> None:
    assert len(split("Who manages Ria? How many work there? Thank you!", "en")) == 2


def test_more_than_six_questions_end_in_the_sixth() -> None:
    many = " ".join(f"How many items were sold in year {2000 + n}?" for n in range(9))
    parts = split(many, "en")

    assert len(parts) == MOST_PARTS
    assert "2008" in parts[-1].said


@pytest.mark.parametrize("message", ["", "   ", "?", "...", "olá", "e", "and and and", "?!;\n"])
def test_a_message_without_a_question_is_one_part(message: str) -> None:
    assert texts(message, "pt") == [message.strip()]


def test_splitting_takes_about_a_millisecond() -> None:
    message = "Quem dirige a fábrica de Vagos e quantas pessoas trabalham lá? E em Tomar?"
    split(message, "pt")
    began = time.perf_counter()
    for _ in range(50):
        split(message, "pt")

    assert (time.perf_counter() - began) / 50 < 0.01


def test_a_thing_that_was_named_before_takes_its_name_along() -> None:
    _, second = split(
        "Quanto vendemos da linha Farol em 2025 e quem é a gestora dessa linha?", "pt"
    )
    assert "Farol" in second.text


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("Que linha vendeu mais na Madeira e quem gere essa linha?", "pt"),
        ("Who is responsible for training, and to whom does this person report?", "en"),
    ],
)
def test_a_part_about_the_answer_of_the_one_before_is_not_cut_off(
    message: str, language: str
) -> None:
    assert [clause.text for clause in split(message, language)] == [message]


def test_how_many_again_asks_the_same_of_another_time() -> None:
    _, second = split("How many pieces were fired in 2024 and how many in 2025?", "en")
    assert second.text == "How many pieces were fired in 2025?"


def test_a_pronoun_for_the_one_name_gives_way_to_it() -> None:
    _, second = split("Who owns Areias do Liz and how much did we buy from them in 2025?", "en")
    assert second.text == "How much did we buy from Areias do Liz in 2025?"
