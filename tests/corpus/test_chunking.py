from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.chunking import chunk, sentences
from corpus.values import Block, ParsedDocument

words = st.text("abcdeé .!?\n", min_size=1, max_size=400).filter(lambda text: text.strip())
blocks = st.lists(
    st.one_of(
        st.builds(Block, st.sampled_from(["paragraph", "list", "table", "code"]), words),
        st.builds(Block, st.just("heading"), words, level=st.integers(1, 3)),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(blocks)
def test_every_readable_character_lies_in_a_passage(held: list[Block]) -> None:
    drafts = chunk(ParsedDocument("Title", tuple(held)))
    read = " ".join(" ".join((*draft.heading_path, draft.text)) for draft in drafts).split()

    for block in held:
        for word in block.text.split():
            assert word in read


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
    assert sentences(drafts[0].text)[-1] == sentences(drafts[1].text)[0]
    assert {draft.page for draft in drafts} == {3}


def test_a_long_table_is_split_by_rows_and_repeats_its_header() -> None:
    text = "nome | valor\n" + "\n".join(f"linha {n} | {n}" for n in range(200))
    drafts = chunk(ParsedDocument("T", (Block("table", text),)))

    assert len(drafts) > 1
    assert all(draft.text.startswith("nome | valor") for draft in drafts)


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert sentences("O Sr. Silva chegou. A Eng. Costa saiu.") == [
        "O Sr. Silva chegou.",
        "A Eng. Costa saiu.",
    ]
