"""Nothing that can be read is lost on the way to the passages, over random documents of all blocks."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.chunking import LIMITS, chunk
from corpus.chunking.sizes import joined
from corpus.values import Block, ParsedDocument, Place
from engines.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus.values import ChunkDraft

FLOWING = ("paragraph", "list", "code", "figure", "caption", "summary")
# Words as they come, and what breaks splitting: long ones without a space, marks, line ends of every sort.
anything = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=300)
worded = st.lists(st.text(string.ascii_letters + 'éõ.!?:"”', min_size=1, max_size=12), max_size=400)
sentences = worded.map(" ".join)
lines = st.lists(sentences, max_size=30).map("\n".join)
endless = st.integers(1, 9000).map(lambda size: ("x1Ã" * size)[:size])
texts = st.one_of(anything, sentences, lines, endless, st.just(""), st.just(" \n "))
pages = st.one_of(st.none(), st.integers(1, 4))
shares = st.floats(0, 1).map(lambda value: round(value, 3))
places = st.one_of(
    st.none(),
    st.builds(lambda a, b, c, d: Place(min(a, c), min(b, d), max(a, c), max(b, d)), *[shares] * 4),
)
grids = st.builds(
    lambda rows, width, cell: tuple(
        tuple(f"{cell}{row}.{column}" for column in range(width)) for row in range(rows)
    ),
    st.integers(1, 120),
    st.integers(1, 12),
    st.text(string.ascii_letters + " é", max_size=12),
)
tables = st.builds(
    lambda grid, page, place: Block(
        "table", "\n".join(" | ".join(row) for row in grid), page, 0, place, grid
    ),
    grids,
    pages,
    places,
)
blocks = st.one_of(
    st.builds(Block, st.sampled_from(FLOWING), texts, pages, st.just(0), places),
    st.builds(Block, st.just("heading"), texts, pages, st.integers(1, 6)),
    st.builds(Block, st.just("furniture"), texts, pages),
    tables,
)
documents = st.builds(ParsedDocument, texts, st.lists(blocks, max_size=14).map(tuple))


def signs(text: str) -> str:
    return "".join(text.split())


def follows(wanted: str, found: Iterator[str]) -> bool:
    """Whether the signs wanted stand in what was found, in their order."""
    return all(sign in found for sign in wanted)


def told(drafts: Sequence[ChunkDraft], joint: str = "") -> str:
    return joint.join(joint.join((*draft.heading_path, draft.text)) for draft in drafts)


@settings(deadline=None, max_examples=150)
@given(documents)
def test_every_readable_character_lies_in_a_passage_in_order(document: ParsedDocument) -> None:
    held = [block for block in document.blocks if block.kind != "furniture"]
    drafts = chunk(document)

    for block in held:
        assert follows(signs(block.text), iter(signs(told(drafts)))), block
    # The whole text in reading order, headings aside: those may stand in a path before or after.
    body = "".join(signs(block.text) for block in held if block.kind != "heading")
    assert follows(body, iter("".join(signs(draft.text) for draft in drafts)))


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["paragraph", "list", "table", "code", "figure", "caption", "heading"]),
            st.integers(1, 400),
            st.sampled_from([" ", "\n", ". ", ":\n"]),
            st.integers(1, 6),
        ),
        max_size=10,
    )
)
def test_every_word_is_first_told_in_the_order_of_the_document(
    shapes: list[tuple[str, int, str, int]],
) -> None:
    held: list[Block] = []
    headings: set[str] = set()
    number = 0
    for kind, size, joint, level in shapes:
        names = [f"W{number + place}w" for place in range(size)]
        number += size
        headings |= set(names) if kind == "heading" else set()
        held.append(Block(kind, joint.join(names), level=level if kind == "heading" else 0))
    drafts = chunk(ParsedDocument("Title", tuple(held)))

    read = [word.strip(".:…") for draft in drafts for word in told([draft], " ").split()]
    body = [f"W{place}w" for place in range(number) if f"W{place}w" not in headings]
    assert headings <= set(read)
    first = list(dict.fromkeys(read))
    assert [word for word in first if word in set(body)] == body


@settings(deadline=None, max_examples=100)
@given(documents)
def test_no_passage_outgrows_what_the_embedder_reads(document: ParsedDocument) -> None:
    for count in (estimate_tokens, lambda text: len(text) // 2, lambda text: len(text.split())):
        for draft in chunk(document, count):
            path = joined(draft.heading_path)
            assert len(path) <= 600
            assert count(f"{path}\n{draft.text}") <= LIMITS.window
            assert draft.text.strip()


@settings(deadline=None, max_examples=60)
@given(documents)
def test_furniture_is_never_told_and_places_lie_on_the_pages_of_the_blocks(
    document: ParsedDocument,
) -> None:
    marked = tuple(
        Block("furniture", "ZQFURNITURE", block.page) if block.kind == "furniture" else block
        for block in document.blocks
    )
    known = {(block.page, block.place) for block in marked if block.place is not None}
    for draft in chunk(ParsedDocument("Title", marked)):
        assert "ZQFURNITURE" not in draft.text
        for page, place in draft.places:
            mine = [other for at, other in known if at == page and other is not None]
            assert any(place.union(other) == place for other in mine)


def test_passages_are_numbered_from_zero_without_a_gap() -> None:
    held = tuple(Block("paragraph", f"Frase {n}. " * 60) for n in range(9))

    drafts = chunk(ParsedDocument("T", held))

    assert [draft.position for draft in drafts] == list(range(len(drafts)))
