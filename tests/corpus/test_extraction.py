from __future__ import annotations

import pytest

from corpus.extraction import extract


def facts(text: str, language: str = "pt") -> list[tuple[str, str, str]]:
    return [(f.subject, f.predicate, f.object) for f in extract(text, language=language).facts]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("A linha Brisa é produzida na fábrica de Penela.", ("Brisa", "Penela")),
        ("Rita Moura é a diretora da fábrica de Penela.", ("Rita Moura", "Penela")),
        ("A Argilas Bravas, Lda. fornece o barro à fábrica de Soure.", ("Argilas Bravas", "Soure")),
        ("The Brisa line is made at the Penela plant.", ("Brisa", "Penela")),
        ("Claybrook Ltd. is owned by Northern Minerals.", ("Claybrook", "Northern Minerals")),
    ],
)
def test_a_relation_word_between_two_names_is_a_fact(text: str, fact: tuple[str, str]) -> None:
    language = "en" if text.startswith(("The", "Clay")) else "pt"

    assert fact in [(subject, other) for subject, _, other in facts(text, language)]


def test_a_second_verb_belongs_to_the_sentence_s_subject() -> None:
    found = facts("Hugo Pinto é o chefe de fornos da fábrica de Tomar e reporta a Rita Moura.")

    assert ("Hugo Pinto", "reporta a", "Rita Moura") in found
    assert all(subject == "Hugo Pinto" for subject, _, _ in found)


def test_names_in_a_row_share_the_relation() -> None:
    found = facts("A Argilas Bravas fornece Penela, Soure e Tomar.")

    assert [other for _, _, other in found] == ["Penela", "Soure", "Tomar"]


def test_names_side_by_side_without_a_relation_word_are_no_fact() -> None:
    assert facts("Em Penela ou Soure chove pouco.") == []


def test_a_word_that_only_opens_a_sentence_is_no_name() -> None:
    assert extract("Cada forno tem um livro. Todos assinam.", language="pt").entities == ()
