from __future__ import annotations

from retrieval.binding import markers_bound
from retrieval.values import Citation

SOURCES = (
    Citation(
        1,
        "text",
        "d",
        "v",
        "a.md",
        text="Helena Quintela é a diretora da fábrica de Águeda desde 2016. A fábrica ocupa 18.400 m2.",
    ),
    Citation(2, "text", "d", "v", "b.md", text="Orders from Nordic countries peak in August."),
    Citation(3, "text", "d", "v", "c.md", text="Joaquim Torrado é o diretor da fábrica de Vagos."),
)


def _bound(text: str, question: str, language: str = "en") -> str:
    return markers_bound(text, question, SOURCES, language=language)[0]


def test_a_sentence_is_bound_to_the_source_that_holds_its_words() -> None:
    question = "When do orders from the Nordic countries peak?"
    assert _bound("They peak in August.", question) == "They peak in August. [2]"


def test_a_source_in_the_other_language_is_found_by_the_name_that_it_holds() -> None:
    said = "The director of the Vagos plant is Joaquim Torrado."
    assert _bound(said, "Who directs the Vagos plant?").endswith("[3]")


def test_a_marker_that_the_model_set_stays_as_it_is() -> None:
    said = "They peak in August [1]."
    assert markers_bound(said, "When do orders peak?", SOURCES, language="en") == (said, 0)


def test_a_number_that_no_source_holds_binds_nothing() -> None:
    question = "Qual é a área da fábrica de Águeda?"
    assert _bound("A fábrica de Águeda ocupa 18,400 m2.", question, "pt").endswith("[1]")
    assert "[" not in _bound("A fábrica de Águeda ocupa 24.100 m2.", question, "pt")


def test_a_name_that_no_source_holds_binds_nothing() -> None:
    assert "[" not in _bound("The plant is directed by Marta Guerreiro.", "Who directs the plant?")


def test_each_sentence_finds_its_own_source_and_lines_stay() -> None:
    said = "They peak in August.\n\nHelena Quintela dirige a fábrica de Águeda desde 2016."
    question = "When do orders peak, and who directs Águeda?"
    assert _bound(said, question) == (
        "They peak in August. [2]\n\nHelena Quintela dirige a fábrica de Águeda desde 2016. [1]"
    )


def test_without_sources_nothing_is_bound() -> None:
    assert markers_bound("It is so.", "Is it so?", (), language="en") == ("It is so.", 0)
