from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from corpus.models import Chunk, Document
from corpus.tags import document_tag, tags_known
from engines.registry import embedder
from retrieval.ask import ask
from retrieval.chosen import documents_named
from retrieval.filters import Filters
from retrieval.options import Options
from retrieval.sql.catalogue import catalogue_read
from retrieval.text_store import search
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from retrieval.values import Retrieved
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

PT = "# Férias\n\nCada colaborador tem 24 dias úteis de férias por ano civil na fábrica.\n"
EN = "# Holidays\n\nEvery employee has 23 working days of paid holiday in the plant per year.\n"
QUESTION = "How many days of holiday are there?"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    made = make_workspace(owner)
    document_tag(document=ingest(made, owner, "ferias.md", PT), tags=["RH", "Portugal"])
    old = ingest(made, owner, "holidays.txt", EN)
    Document.objects.filter(pk=old.pk).update(created_at=timezone.now() - dt.timedelta(days=90))
    Chunk.objects.filter(document=old).update(page=7)
    return made


def look(team: Workspace, user: User, filters: Filters, mode: str = "hybrid") -> Retrieved:
    vector = embedder().queries([QUESTION])[0]
    return search(
        workspace=team,
        user=user,
        text=QUESTION,
        vector=vector,
        language="en",
        mode=mode,
        filters=filters,
    )


TODAY = dt.date.today()


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), {"ferias.md", "holidays.txt"}),
        (Filters(documents=("FERIAS.md",)), {"ferias.md"}),
        (Filters(documents=("ferias.md", "holidays.txt")), {"ferias.md", "holidays.txt"}),
        (Filters(kinds=("md",)), {"ferias.md"}),
        (Filters(page_from=7, page_to=7), {"holidays.txt"}),
        (Filters(page_to=6), set()),
        (Filters(date_from=TODAY - dt.timedelta(days=2)), {"ferias.md"}),
        (Filters(date_to=TODAY - dt.timedelta(days=80)), {"holidays.txt"}),
        (Filters(language="en"), {"holidays.txt"}),
        (Filters(heading="ferias"), {"ferias.md"}),
        (Filters(heading="%"), set()),
        (Filters(tag="rh"), {"ferias.md"}),
        (Filters(tag="rh", language="en"), set()),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_each_filter_holds_before_either_ranking(
    team: Workspace, owner: User, filters: Filters, found: set[str], mode: str
) -> None:
    result = look(team, owner, filters, mode)
    if mode == "keyword" and filters == Filters():
        found = {hit.document for hit in result.hits}
    assert {hit.document for hit in result.hits} == found
    assert bool(result.note) == (not found)


def test_a_key_serves_as_well_as_a_name(team: Workspace, owner: User) -> None:
    key = str(Document.objects.get(name="ferias.md").pk)
    assert {hit.document for hit in look(team, owner, Filters(documents=(key,))).hits} == {
        "ferias.md"
    }


def test_what_is_unknown_and_what_is_anothers_find_the_same_nothing(
    team: Workspace, owner: User
) -> None:
    stranger = make_user()
    other = make_workspace(stranger)
    secret = ingest(other, stranger, "secret.md", "# Secret\n\nHolidays last 99 days here.\n")
    document_tag(document=secret, tags=["hidden"])
    for theirs, unknown in (
        (Filters(documents=("secret.md",)), Filters(documents=("nowhere.md",))),
        (Filters(documents=(str(secret.pk),)), Filters(documents=(str(team.pk),))),
        (Filters(tag="hidden"), Filters(tag="never given")),
        (Filters(heading="Secret"), Filters(heading="Nothing of the kind")),
    ):
        assert look(team, owner, theirs) == look(team, owner, unknown)
        assert look(team, owner, theirs).hits == ()
    assert tags_known(team, owner) == ["portugal", "rh"]


def test_four_people_find_what_they_may_read(team: Workspace, owner: User) -> None:
    from django.contrib.auth.models import AnonymousUser

    stranger = make_user()
    make_workspace(stranger)
    nobody: Any = AnonymousUser()
    asked = Filters(tag="rh")
    for person, count in ((owner, 1), (make_member(team), 1), (stranger, 0), (nobody, 0)):
        assert len(look(team, person, asked).hits) == count
        assert len(tags_known(team, person)) == 2 * count


def told(team: Workspace, user: User, question: str, **chosen: Any) -> Any:
    return ask(
        workspace=team,
        user=user,
        question=question,
        emit=lambda *_: None,
        options=Options(**chosen),
    )


def test_M1_an_english_question_finds_the_portuguese_corpus(owner: User) -> None:
    team = make_workspace(owner)
    ingest(team, owner, "ferias.md", PT)
    assert [hit.document for hit in look(team, owner, Filters()).hits] == ["ferias.md"]
    assert "24 dias" in told(team, owner, QUESTION).answer["text"]


def test_M1_language_filters_only_when_it_is_asked_for(team: Workspace, owner: User) -> None:
    assert {hit.language for hit in look(team, owner, Filters(), "vector").hits} == {"pt", "en"}
    asked = told(team, owner, QUESTION, filters=Filters(language="pt"))
    assert {hit["document"] for hit in asked.parts[0]["hits"]} == {"ferias.md"}


def test_with_filters_and_no_route_the_text_is_searched_and_that_is_said(
    team: Workspace, owner: User
) -> None:
    part = told(team, owner, "How many employees are there in total?", filters=Filters(tag="rh"))
    assert (part.parts[0]["route"], part.parts[0]["stage"]) == ("vectorial", "filter")


def test_documents_narrow_the_tables_too_and_the_router_still_chooses(
    team: Workspace, owner: User
) -> None:
    ingest(team, owner, "north.csv", "shop,sales\nFaro,100\nBeja,40\n")
    ingest(team, owner, "south.csv", "shop,sales\nFaro,7\nBeja,3\n")
    question = "What are the total sales of the Faro shop?"
    for name, said in (("north.csv", "100"), ("south.csv", "7")):
        outcome = told(team, owner, question, filters=Filters(documents=(name,)))
        assert outcome.parts[0]["route"] == "relational"
        assert outcome.parts[0]["table"]["document"] == name
        assert said in outcome.answer["text"]
    text = told(team, owner, QUESTION, filters=Filters(documents=("ferias.md",)))
    assert (text.parts[0]["route"], text.parts[0]["stage"]) != ("vectorial", "filter")
    assert {hit["document"] for hit in text.parts[0]["hits"]} == {"ferias.md"}
    none = told(team, owner, question, filters=Filters(documents=("ferias.md",)))
    assert none.parts[0]["table"] is None


def test_four_people_and_a_table_of_a_named_document(team: Workspace, owner: User) -> None:
    held = ingest(team, owner, "north.csv", "shop,sales\nFaro,100\nBeja,40\n")
    reader, stranger, nobody = make_member(team), make_user(), make_user()
    own = make_workspace(stranger)
    narrow = Filters(documents=("north.csv", str(held.pk)))
    seen = {
        person.pk: [
            table.document
            for room in (team, own)
            for table in catalogue_read(workspace=room, user=person, filters=narrow)
        ]
        for person in (owner, reader, stranger, nobody)
    }
    assert seen == {
        owner.pk: ["north.csv"],
        reader.pk: ["north.csv"],
        stranger.pk: [],
        nobody.pk: [],
    }
    assert documents_named(Options(filters=narrow), team, reader) == [held.pk]
    assert documents_named(Options(filters=narrow), team, stranger) == []
    assert documents_named(Options(), team, reader) is None


def test_a_person_chooses_the_route_and_the_numbers_stay_beside_it(
    team: Workspace, owner: User
) -> None:
    for route in ("graph", "relational", "vectorial"):
        part = told(team, owner, QUESTION, route=route).parts[0]
        assert (part["route"], part["stage"]) == (route, "override")
        assert {item["route"] for item in part["scores"]} == {"relational", "vectorial", "graph"}
        assert "by hand" in part["reason"]


def test_answers_of_other_options_are_never_given(team: Workspace, owner: User) -> None:
    plain = told(team, owner, QUESTION)
    narrow = told(team, owner, QUESTION, filters=Filters(language="pt"))
    assert not narrow.cached
    assert "23 working" not in narrow.answer["text"]
    again = told(team, owner, QUESTION)
    assert again.cached
    assert {**again.answer, "kept": None} == {**plain.answer, "kept": None}
    assert told(team, owner, QUESTION, filters=Filters(language="pt")).cached


def test_as_many_passages_are_given_as_were_asked_for(owner: User) -> None:
    team = make_workspace(owner)
    text = "".join(f"# Kiln {n}\n\nKiln {n} is fired to {1000 + n} degrees.\n\n" for n in range(12))
    ingest(team, owner, "kilns.md", text)
    for count in (1, 3, 10):
        found = told(team, owner, "How hot is the kiln?", route="vectorial", top_k=count)
        assert len(found.parts[0]["hits"]) == count
