from __future__ import annotations

from retrieval.sentences import asked_kind, best_sentences

HOLIDAYS = (
    "Cada colaborador tem 24 dias úteis de férias. O pedido faz-se até 31 de março. "
    "A chefia responde em 10 dias.",
    "pt",
)
CANTEEN = ("A cantina serve almoço das 12h00 às 14h30. O prato do dia custa 3,20 €.", "pt")


def first(question: str, language: str) -> str:
    return best_sentences(question, [HOLIDAYS, CANTEEN], language=language, limit=1)[0].text


def test_the_sentence_with_the_words_asked_for_comes_first() -> None:
    assert first("Quantos dias de férias tem um colaborador?", "pt").startswith("Cada colaborador")


def test_a_lower_ranked_passage_wins_when_its_sentence_fits() -> None:
    assert "3,20" in first("Quanto custa o prato do dia?", "pt")


def test_an_english_question_finds_a_portuguese_sentence() -> None:
    assert "24 dias" in first("How many days of holidays does an employee have?", "en")


def test_a_question_for_a_date_prefers_the_sentence_with_one() -> None:
    assert "31 de março" in first("Até quando se faz o pedido de férias?", "pt")


def test_a_repeated_sentence_is_quoted_once() -> None:
    quoted = best_sentences("dias de férias", [HOLIDAYS, HOLIDAYS], language="pt", limit=6)
    assert len({item.text for item in quoted}) == len(quoted) >= 2


def test_a_name_in_the_question_prefers_the_passage_about_it() -> None:
    north = ("A velocidade máxima dos empilhadores é de 8 km/h.", "pt")
    south = ("Nos corredores a velocidade máxima é de 10 km/h.", "pt")
    quoted = best_sentences(
        "Velocidade máxima dos empilhadores em Vagos?",
        [north, south],
        language="pt",
        headings=["Fábrica de Águeda", "Fábrica de Vagos"],
        limit=1,
    )
    assert "10 km/h" in quoted[0].text


def test_kinds_are_told_by_whole_words_in_both_languages() -> None:
    assert asked_kind("Quem assina?") == "person"
    assert asked_kind("When does it end?") == "date"
    assert asked_kind("Quantas peças por palete?") == "number"
    assert asked_kind("Whole wheat policy") == ""


def test_passages_without_text_give_nothing() -> None:
    assert best_sentences("férias", [("", "pt"), ("***", "pt")], language="pt") == []
