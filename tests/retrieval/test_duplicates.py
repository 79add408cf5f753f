from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engines.registry import embedder
from retrieval.duplicates import folded
from retrieval.text_store import search
from retrieval.values import Hit
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

RULE = (
    "every employee of the plant has twenty three working days of paid holiday in each year and may "
    "take them at any time outside the weeks in which the kilns are being repaired by the team that "
    "comes from the north to look after them and after all the other machines of the long hall"
    " while those who work there stay at home and are "
    "paid as if they had worked on each of the days that the repair takes up"
)


def made(key: str, text: str, heading: str = "") -> Hit:
    return Hit(key, f"d{key}", f"v{key}", f"{key}.md", heading, text, None, "en", 1.0)


def test_copies_fold_into_the_best_one_and_are_named_there() -> None:
    hits = [made("a", RULE), made("b", RULE), made("c", "something else"), made("d", RULE.upper())]
    kept = folded(hits, 8)
    assert [hit.chunk_id for hit in kept] == ["a", "c"]
    assert [copy.document for copy in kept[0].copies] == ["b.md", "d.md"]


def test_a_word_misread_makes_no_other_passage() -> None:
    assert len(folded([made("a", RULE), made("b", RULE.replace("machines", "machlnes"))], 8)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("twenty three", "23"),
        ("may take", "may not take"),
        ("outside", "before"),
        ("the team", "Marta"),
    ],
)
def test_another_figure_name_or_negation_is_another_passage(old: str, new: str) -> None:
    assert len(folded([made("a", RULE), made("b", RULE.replace(old, new))], 8)) == 2


def test_the_same_words_under_another_heading_stand_apart() -> None:
    assert len(folded([made("a", RULE, "Lisbon"), made("b", RULE, "Faro")], 8)) == 2
    assert len(folded([made("a", RULE, "Lisbon"), made("b", RULE)], 8)) == 1


def asked(team: Workspace, user: User, limit: int) -> tuple[Hit, ...]:
    question = "How many days of holiday does an employee have?"
    vector = embedder().queries([question])[0]
    return search(
        workspace=team, user=user, text=question, vector=vector, language="en", limit=limit
    ).hits


@pytest.mark.django_db
def test_five_copies_do_not_fill_the_top_five_and_strangers_copies_do_not_count() -> None:
    owner, stranger = make_user(), make_user()
    team, other = make_workspace(owner), make_workspace(stranger)
    for number in range(5):
        ingest(team, owner, f"copy{number}.md", f"# Holidays\n\n{RULE}" + "\n" * number)
    for number in range(3):
        ingest(other, stranger, f"theirs{number}.md", f"# Holidays\n\n{RULE}" + "\n" * number)
    ingest(team, owner, "sick.md", "# Sickness\n\nAn employee who is ill calls before nine.\n")
    ingest(team, owner, "visit.md", "# Visitors\n\nVisitors wear a yellow badge.\n")
    hits = asked(team, owner, 5)
    assert len(hits) == 3
    assert len(hits[0].copies) == 4
    assert {copy.document for copy in hits[0].copies} | {hits[0].document} == {
        f"copy{number}.md" for number in range(5)
    }
    assert [len(hit.copies) for hit in asked(other, stranger, 5)] == [2]


@pytest.mark.django_db
def test_behind_more_copies_than_are_looked_at_the_others_are_found() -> None:
    owner = make_user()
    team = make_workspace(owner)
    for number in range(32):
        ingest(team, owner, f"copy{number}.md", f"# Holidays\n\n{RULE}" + "\n" * number)
    ingest(team, owner, "visit.md", "# Visitors\n\nVisitors wear a yellow badge.\n")
    assert {hit.document for hit in asked(team, owner, 2)} >= {"visit.md"}
