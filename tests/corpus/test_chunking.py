from __future__ import annotations

import itertools

import pytest

from corpus.chunking import Limits, chunk, sentences
from corpus.values import Block, ParsedDocument, Place
from engines.tokens import estimate_tokens


def words(text: str) -> int:
    return len(text.split())


SMALL = Limits(budget=20, whole=30, atomic=40, window=90)


def texts(*blocks: Block, limits: Limits = SMALL) -> list[str]:
    return [draft.text for draft in chunk(ParsedDocument("T", blocks), words, limits)]


def test_a_passage_never_crosses_a_heading() -> None:
    held = (
        Block("heading", "A", level=1),
        Block("paragraph", "um"),
        Block("heading", "B", level=2),
        Block("paragraph", "dois"),
        Block("heading", "C", level=2),
        Block("paragraph", "três"),
    )
    drafts = chunk(ParsedDocument("A", held))

    assert [(draft.heading_path, draft.text) for draft in drafts] == [
        (("A",), "um"),
        (("A", "B"), "dois"),
        (("A", "C"), "três"),
    ]


def test_a_long_paragraph_is_split_at_sentences_with_one_of_overlap() -> None:
    text = " ".join(f"Frase número {n} com algumas palavras a mais." for n in range(60))
    drafts = chunk(ParsedDocument("T", (Block("paragraph", text, 3),)))

    assert len(drafts) > 2
    for before, after in itertools.pairwise(drafts):
        assert sentences(before.text)[-1] == sentences(after.text)[0]
        assert len(set(sentences(before.text)) & set(sentences(after.text))) == 1
    assert {draft.page for draft in drafts} == {3}


def test_the_budget_is_in_the_tokens_of_the_counter_that_is_given() -> None:
    held = tuple(Block("paragraph", f"linha {n} de seis palavras curtas") for n in range(12))
    by_words = chunk(ParsedDocument("T", held), words, SMALL)
    by_signs = chunk(ParsedDocument("T", held), len, Limits(70, 100, 100, 200))

    assert [draft.text.count("\n") + 1 for draft in by_words] == [3, 3, 3, 3]
    assert [draft.text.count("\n") + 1 for draft in by_signs] == [2] * 6


def test_a_long_table_is_split_by_rows_and_repeats_its_caption_and_header() -> None:
    rows = [f"linha {n} | {n}" for n in range(40)]
    table = Block("table", "\n".join(["nome | valor", *rows]))
    found = texts(Block("paragraph", "Antes."), Block("caption", "Tabela 1: valores"), table)

    assert found[0] == "Antes."
    assert len(found) > 3
    for text in found[1:]:
        assert text.splitlines()[:2] == ["Tabela 1: valores", "nome | valor"]
    assert [line for text in found[1:] for line in text.splitlines()[2:]] == rows


def test_a_short_table_stays_whole_with_the_caption_on_either_side() -> None:
    table, figure = Block("table", "a | b\n1 | 2"), Block("figure", "texto da imagem")
    caption = Block("caption", "Quadro 2")

    assert texts(caption, table) == ["Quadro 2\na | b\n1 | 2"]
    assert texts(figure, caption, Block("paragraph", "Depois.")) == [
        "texto da imagem\nQuadro 2",
        "Depois.",
    ]
    # Between two, the caption is told with the one below it.
    assert texts(figure, caption, table) == ["texto da imagem", "Quadro 2\na | b\n1 | 2"]


def test_a_list_is_not_torn_from_the_line_that_leads_in_to_it() -> None:
    filler = Block("paragraph", "palavra " * 15)
    lead = Block("paragraph", "É proibido nos fornos:")
    items = [Block("list", f"- o ponto número {n} da lista") for n in range(6)]
    found = texts(filler, lead, *items)

    assert found[0] == filler.text
    assert len(found) > 2
    assert all(text.startswith(lead.text) for text in found[1:])
    assert [line for text in found[1:] for line in text.splitlines()[1:]] == [i.text for i in items]


def test_a_long_list_in_one_block_is_split_by_its_items_under_the_leading_line() -> None:
    items = [f"- o ponto número {n} da lista" for n in range(12)]
    found = texts(Block("paragraph", "Convém saber:"), Block("list", "\n".join(items)))

    assert len(found) > 2
    assert all(text.startswith("Convém saber:\n- o ponto") for text in found)
    assert [line for text in found for line in text.splitlines()[1:]] == items


def test_a_word_without_an_end_is_cut_to_what_the_embedder_reads() -> None:
    endless = "x1" * 20_000
    drafts = chunk(ParsedDocument("T", (Block("paragraph", endless),)))

    assert "".join(draft.text for draft in drafts) == endless
    assert all(estimate_tokens(draft.text) <= Limits().window for draft in drafts)


def test_a_heading_too_long_for_a_path_is_shortened_there_and_told_in_full_below() -> None:
    long = " ".join(f"palavra{n}" for n in range(90))
    held = (
        Block("heading", long, level=1),
        Block("heading", "Curto", level=2),
        Block("paragraph", "Corpo."),
        Block("paragraph", "Mais corpo."),
    )
    (draft,) = chunk(ParsedDocument("T", held))[-1:]
    told = " ".join(draft.text for draft in chunk(ParsedDocument("T", held)))

    assert (
        draft.heading_path[1].startswith("palavra0 palavra1") and len(draft.heading_path[1]) <= 160
    )
    assert draft.heading_path[2] == "Curto"
    assert told.count("palavra89") == 1
    assert len(" › ".join(draft.heading_path)) <= 600


def test_the_deepest_headings_are_kept_when_a_path_is_too_long() -> None:
    names = [f"{'nível ' * 25}{level}" for level in range(1, 7)]
    held = [Block("heading", name, level=level) for level, name in enumerate(names, 1)]
    drafts = chunk(ParsedDocument("T", (*held, Block("paragraph", "Corpo."))))

    (path,) = {draft.heading_path for draft in drafts}
    assert path[0] == "T" and path[-1] == names[-1]
    assert names[0] not in path
    assert names[0] in "\n".join(draft.text for draft in drafts)


def test_furniture_is_no_passage_and_parts_none() -> None:
    found = texts(
        Block("furniture", "Relatório 2024"),
        Block("paragraph", "Um."),
        Block("furniture", "página 3"),
        Block("paragraph", "Dois."),
    )
    assert found == ["Um.\nDois."]


def test_a_document_without_readable_text_has_no_passages() -> None:
    for kind in ("paragraph", "table", "code", "list", "heading", "figure"):
        assert texts(Block(kind, " \n\n ")) == []
    assert texts() == []


def test_places_hold_each_page_with_the_rectangle_around_the_blocks_there() -> None:
    held = (
        Block("paragraph", "Um.", 2, place=Place(0.1, 0.8, 0.5, 0.85)),
        Block("paragraph", "Dois.", 2, place=Place(0.2, 0.9, 0.6, 0.95)),
        Block("paragraph", "Três.", 3, place=Place(0.1, 0.1, 0.5, 0.2)),
        Block("paragraph", "Sem lugar.", 4),
    )
    (draft,) = chunk(ParsedDocument("T", held))

    assert draft.page == 2
    assert draft.places == ((2, Place(0.1, 0.8, 0.6, 0.95)), (3, Place(0.1, 0.1, 0.5, 0.2)))


def test_each_part_of_a_split_paragraph_keeps_the_place_of_the_whole() -> None:
    place = Place(0.1, 0.2, 0.9, 0.8)
    text = " ".join(f"Frase número {n} com algumas palavras a mais." for n in range(60))
    drafts = chunk(ParsedDocument("T", (Block("paragraph", text, 5, place=place),)))

    assert len(drafts) > 2
    assert all(draft.places == ((5, place),) for draft in drafts)


def test_a_passage_is_of_the_kind_of_its_blocks() -> None:
    held = (
        Block("paragraph", "Texto."),
        Block("heading", "H", level=1),
        Block("list", "- um"),
        Block("list", "- dois"),
        Block("code", "x = 1"),
        Block("table", "a | b"),
    )
    kinds = [draft.block for draft in chunk(ParsedDocument("T", held))]
    assert kinds == ["paragraph", "list", "code", "table"]


def test_a_passage_in_another_language_is_marked_so_and_code_is_not() -> None:
    held = (
        Block(
            "paragraph",
            "As férias são pedidas à chefia com trinta dias de antecedência por escrito. " * 3,
        ),
        Block("heading", "Export", level=1),
        Block(
            "paragraph", "The goods are sent to the port of Leixões and then shipped by the agent."
        ),
        Block("code", "for item in the_items: print(the, of, and, with, from, this, that, it)"),
    )
    assert [draft.language for draft in chunk(ParsedDocument("T", held))] == ["pt", "en", "pt"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("O Sr. Silva chegou. A Eng. Costa saiu.", ["O Sr. Silva chegou.", "A Eng. Costa saiu."]),
        ('Disse "chega." Depois saiu (a rir.) E voltou.', None),
        ("uma frase sem fim", ["uma frase sem fim"]),
        ("  ", []),
    ],
)
def test_sentences_end_where_they_end_and_lose_no_sign(text: str, parts: list[str] | None) -> None:
    found = sentences(text)
    assert parts is None or found == parts
    assert "".join(" ".join(found).split()) == "".join(text.split())
