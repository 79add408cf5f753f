from __future__ import annotations

from retrieval.values import Citation
from retrieval.verify import cited, language_differs, markers_known, unsupported

SOURCE = Citation(
    1, "text", "d", "v", "contrato.md", text="A Benedita Falcão assinou por 1.234,50 € em 2023."
)


def test_markers_without_a_source_are_dropped_and_counted() -> None:
    assert markers_known("Um [1]. Dois [7].", [1]) == ("Um [1]. Dois.", 1)
    assert cited("a [2] b [1] c [2]") == [2, 1]


def test_a_number_that_no_source_holds_is_found() -> None:
    assert unsupported("São 1.234,50 € [1] e 99 dias [1].", [SOURCE]) == ("99",)


def test_the_same_number_in_the_other_notation_is_supported() -> None:
    assert unsupported("It was 1,234.50 [1].", [SOURCE]) == ()


def test_a_name_that_no_source_holds_is_found() -> None:
    assert unsupported("Foi Rui Mendes Torres [1].", [SOURCE]) == ("Rui Mendes Torres",)
    assert unsupported("Assinou-o Rui Mendes [1].", [SOURCE]) == ("Rui Mendes",)
    assert unsupported("Foi Benedita Falcão [1].", [SOURCE]) == ()


def test_what_the_question_said_needs_no_source() -> None:
    assert unsupported("Em 2019 não há dados [1].", [SOURCE], "E em 2019?") == ()


def test_an_answer_in_another_language_is_noticed() -> None:
    assert language_differs("The contract was signed by the director of the plant [1].", "pt")
    assert not language_differs("O contrato foi assinado pela diretora da fábrica [1].", "pt")
    assert not language_differs("24 days", "pt")
