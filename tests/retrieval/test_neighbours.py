from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from corpus.models import Chunk
from retrieval.ask import ask
from retrieval.neighbours import completed, wants_after, wants_before
from retrieval.values import Hit
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import generate, model_server

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace

RULES = "# Rules\n\n## Visitors\n\nVisitors wear a badge.\n\n## Kilns\n\nThe kiln is fired on Mondays.\n"
HALVES = (
    "Visitors are marked by a badge whose colour is",
    "heliotrope in the north and saffron in the south.",
    "They are met at the gate.",
)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("Visitors wear a badge.", False, False),
        ("and wear a badge.", True, False),
        ("Visitors wear the following:", False, True),
        ("“and so it went on,", True, True),
        ("“It went on.”", False, False),
        ("", False, False),
    ],
)
def test_a_passage_that_was_cut_shows_it(text: str, before: bool, after: bool) -> None:
    assert (wants_before(text), wants_after(text)) == (before, after)


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def document(team: Workspace, owner: User) -> Document:
    """A document whose passages were cut in the middle of a sentence."""
    made = ingest(team, owner, "rules.md", RULES)
    rows = list(Chunk.objects.filter(document=made).order_by("position"))
    pattern = rows[0]
    for position, text in enumerate(HALVES):
        pattern.pk, pattern.position, pattern.text = None, 100 + position, text
        pattern._state.adding = True
        pattern.heading_path = "Rules › Visitors"
        pattern.save()
    return made


def hit_of(document: Document, text: str, **more: Any) -> Hit:
    chunk = Chunk.objects.get(document=document, text=text)
    return Hit(
        str(chunk.pk), str(document.pk), str(chunk.version_id), document.name,
        more.get("heading", chunk.heading_path), text, None, "en", 1.0,
        block=more.get("block", "paragraph"),
    )  # fmt: skip


def test_half_a_sentence_is_completed_on_the_side_where_it_was_cut(
    team: Workspace, owner: User, document: Document
) -> None:
    first, second, third = (hit_of(document, text) for text in HALVES)
    found = completed(team, owner, [first, second, third], 8)
    assert found[0].around == ("", HALVES[1])
    assert found[1].around == (HALVES[0], "")
    assert found[2] == third
    assert [hit.text for hit in found] == list(HALVES)


def test_only_the_first_passages_and_running_text_are_completed(
    team: Workspace, owner: User, document: Document
) -> None:
    first = hit_of(document, HALVES[0])
    assert completed(team, owner, [first], 0) == (first,)
    code = hit_of(document, HALVES[0], block="code")
    assert completed(team, owner, [code], 8) == (code,)
    elsewhere = hit_of(document, HALVES[0], heading="Another › Heading")
    assert completed(team, owner, [elsewhere], 8) == (elsewhere,)


def test_nobody_reads_a_neighbour_that_they_may_not_see(
    team: Workspace, document: Document
) -> None:
    first = hit_of(document, HALVES[0])
    stranger = make_user()
    make_workspace(stranger)
    assert completed(team, stranger, [first], 8) == (first,)
    reader = make_member(team)
    assert completed(team, reader, [first], 8)[0].around == ("", HALVES[1])


def test_whole_passages_ask_nothing_of_the_database(
    team: Workspace, owner: User, document: Document, django_assert_num_queries: Any
) -> None:
    third = hit_of(document, HALVES[2])
    with django_assert_num_queries(0):
        assert completed(team, owner, [third], 8) == (third,)


def test_a_generator_reads_the_whole_and_its_words_are_checked_against_the_whole(
    team: Workspace, owner: User, document: Document, settings: Any
) -> None:
    with model_server() as server:
        generate(settings, server.url)
        server.reply = lambda prompt: "Their badge is heliotrope in the north [1]."
        outcome = ask(
            workspace=team,
            user=owner,
            question="By what colour of badge are visitors marked?",
            emit=lambda kind, payload: None,
        )
        prompt = server.seen[-1]["messages"][-1]["content"]
    assert f"{HALVES[0]} {HALVES[1]}" in prompt
    assert outcome.answer["unsupported"] == []
