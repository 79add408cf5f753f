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


def test_a_relative_clause_is_about_the_name_before_it() -> None:
    found = facts(
        "O laboratório central, instalado na fábrica de Soure, é dirigido por Rita Moura, que "
        "reporta a Hugo Pinto."
    )

    assert ("Rita Moura", "reporta a", "Hugo Pinto") in found
    assert ("laboratório central", "é dirigido por", "Rita Moura") in found
    assert "Soure" not in {subject for subject, _, _ in found}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("A comissão de ética é presidida por Rita Moura.", ("comissão de ética", "Rita Moura")),
        ("The safety committee is chaired by Mary Poe.", ("safety committee", "Mary Poe")),
        ("Rita Moura é a diretora financeira da empresa.", ("Rita Moura", "diretora financeira")),
        ("Anna Field heads the export office and travels.", ("Anna Field", "export office")),
        ("A gestora de conta da Brisa Azul é Rita Moura.", ("Rita Moura", "Brisa Azul")),
        ("The agent for France is Maison Verte, in Lyon.", ("Maison Verte", "France")),
    ],
)
def test_an_office_or_a_body_stands_for_a_name(text: str, fact: tuple[str, str]) -> None:
    language = "en" if text.startswith(("The", "Anna")) else "pt"
    found = extract(text, language=language)
    pairs = [(item.subject, item.object) for item in found.facts]

    assert fact in pairs
    assert set(fact) <= set(found.entities)


def test_two_sentences_joined_by_and_keep_their_own_subjects() -> None:
    found = facts("Tomé Sá é o gestor da linha Ria e Raul Cruz é o gestor da linha Brisa.")

    assert [(subject, other) for subject, _, other in found] == [
        ("Tomé Sá", "Ria"),
        ("Raul Cruz", "Brisa"),
    ]


def test_what_describes_the_subject_between_commas_does_not_take_its_place() -> None:
    found = facts("O João Costa, diretor da fábrica de Ovar, sucedeu a Pedro Lima.")

    assert ("João Costa", "sucedeu a", "Pedro Lima") in found
    assert ("Ovar", "sucedeu a", "Pedro Lima") not in found


def test_a_list_of_values_under_a_label_states_nothing() -> None:
    text = (
        "Função: Diretora, Diretor de fábrica, Chefe de fornos, Técnico, Diretora de compras, Outro"
    )

    assert facts(text) == []


def test_a_unit_after_a_number_is_no_name() -> None:
    assert "GWh" not in extract("São entregues 118 GWh à fábrica de Ovar.", language="pt").entities


def test_a_name_after_an_article_is_one_though_it_stands_at_the_start() -> None:
    found = facts("A Termolusa pertence à alemã Brandt & Kessel GmbH, que construiu os fornos.")

    assert ("Termolusa", "pertence à alemã", "Brandt & Kessel") in found


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("A encarregada da vidragem, Rita Moura, forma os novos.", "encarregada da vidragem"),
        ("O gestor de conta é Rita Moura, que viaja.", "gestor de conta"),
        ("O gestor de conta, Rita Moura, envia a previsão.", "gestor de conta"),
        ("A assistência técnica é dada por Rita Moura.", "assistência técnica"),
        (
            "O responsável pela assistência é o engenheiro Rita Moura.",
            "responsável pela assistência",
        ),
        ("O contacto comercial é Rita Moura.", "contacto comercial"),
        ("Encarregado da receção: Rita Moura, extensão 41.", "encarregado da receção"),
        ("The account manager is Rita Moura.", "account manager"),
        ("The sales agent, Rita Moura, visits in May.", "sales agent"),
        ("Rita Moura acompanha também este cliente.", "acompanha também"),
    ],
)
def test_an_office_is_held_for_what_the_passage_is_about(text: str, fact: str) -> None:
    language = "en" if text.startswith("The") else "pt"
    found = extract(
        f"A Brisa Azul compra vasos. {text}",
        language=language,
        heading_path=("Clientes", "Brisa Azul"),
    ).facts
    held = [item for item in found if item.object == "Brisa Azul"]

    assert [(item.subject, item.predicate) for item in held] == [("Rita Moura", fact)]
    assert "Brisa Azul" in held[0].sentence
    assert text in held[0].sentence


def test_a_heading_that_opens_with_a_common_noun_is_about_the_name_in_it() -> None:
    found = extract(
        "Hugo Pinto dirige a unidade de Penela. A oficina é orientada pelo mestre Rui Costa.",
        language="pt",
        heading_path=("Pessoas", "Fábrica de Penela"),
    ).facts

    assert ("Rui Costa", "mestre", "Penela") in [(f.subject, f.predicate, f.object) for f in found]


def test_an_office_without_a_topic_is_what_the_name_is() -> None:
    assert ("Rita Moura", "é", "responsável pela formação") in facts(
        "Rita Moura, responsável pela formação, reporta a Hugo Pinto."
    )


def test_the_name_that_an_office_governs_does_not_hold_it() -> None:
    found = facts("Inês Barroca é a gestora da linha Brisa.")

    assert found == [("Inês Barroca", "é a gestora da linha", "Brisa")]


@pytest.mark.parametrize(
    "text",
    [
        "O contrato CF-7 com a Argilas Bravas tem por objeto o barro.",
        "Com a Argilas Bravas está em vigor o contrato CF-7, que dura 3 anos.",
        "The contract CF-7 with Argilas Bravas runs for 3 years.",
    ],
)
def test_a_contract_is_tied_to_its_party(text: str) -> None:
    found = facts(text, "en" if text.startswith("The") else "pt")

    assert ("CF-7", "Argilas Bravas") in [(subject, other) for subject, _, other in found]


def test_objects_joined_by_and_share_the_relation_with_their_own_prepositions() -> None:
    lines = facts("Inês Barroca é a gestora da linha Brisa e também da linha Duna.")
    plants = facts("A Gás Azul fornece o gás às fábricas de Penela e de Soure.")

    assert [other for _, _, other in lines] == ["Brisa", "Duna"]
    assert [other for _, _, other in plants] == ["Penela", "Soure"]


def test_who_heads_two_areas_heads_both() -> None:
    found = facts("Rita Moura dirige a energia e o ambiente e reporta a Hugo Pinto.")

    assert [other for _, _, other in found if other != "Hugo Pinto"] == ["energia", "ambiente"]


def test_where_a_family_lives_is_no_second_owner() -> None:
    found = facts("A Brisa Azul pertence à família Arroz, de Castela.")

    assert [other for _, _, other in found] == ["Arroz"]


def test_a_possessive_is_no_part_of_a_name() -> None:
    found = extract(
        "In that year Lambert's brother Guy and Guy’s wife came to Lucca.", language="en"
    )

    assert {"Lambert", "Guy", "Lucca"} <= set(found.entities)
    assert not any("'" in name or "’" in name for name in found.entities)
