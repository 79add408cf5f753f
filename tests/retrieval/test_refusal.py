"""When "I don't know" is said, and what it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from django.contrib.auth.models import AnonymousUser

from retrieval import refusal
from retrieval.ask import Outcome, ask
from retrieval.filters import NOTHING, Filters
from retrieval.known import asked, known, names
from retrieval.refusal import Doubt, coverage, doubt
from retrieval.values import Hit, Known, Part, Retrieved
from routing.values import Clause, Decision
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
HANDBOOK = (
    "# Handbook\n\n## Visitors\n\n"
    "Visitors of the Vagos plant wear a yellow badge and are met at the gate.\n\n"
    "## Kilns\n\nThe kiln in Tomar fires tiles at 1180 degrees for nine hours.\n"
)
TRIP = "# Trip\n\nThe Berlin office is led by Karla Voss.\n"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "handbook.md", HANDBOOK)
    return made


def told(team: Workspace, user: User, question: str) -> Outcome:
    return ask(workspace=team, user=user, question=question, emit=lambda *_: None)


def seen(team: Workspace, user: User, question: str, filters: Filters = NOTHING) -> Known:
    return known(workspace=team, user=user, text=question, language="en", hits=(), filters=filters)


def hit(text: str, contrast: float, language: str = "en") -> Hit:
    return Hit("c", "d", "v", "doc.md", "", text, None, language, 0.5, 0.8, contrast)


def part(question: str, found: Hit, held: Known) -> Part:
    decision = Decision("vectorial", "cosine", (), 0.0, 0, "")
    clause = Clause(0, question, question)
    return Part(clause, "en", decision, Retrieved("vectorial", hits=(found,), known=held))


def test_a_name_that_nothing_holds_is_said_with_what_was_nearest(
    team: Workspace, owner: User
) -> None:
    outcome = told(team, owner, "Where are visitors of the Berlin plant met?")
    assert outcome.answer["refused"]
    assert "No passage that was searched holds “Berlin”." in outcome.answer["text"]
    assert "Nearest: handbook.md" in outcome.answer["text"]
    answered = told(team, owner, "Where are visitors of the Vagos plant met?")
    assert "yellow badge" in answered.answer["text"]


def test_a_refusal_names_the_name_in_the_language_of_the_question(
    team: Workspace, owner: User
) -> None:
    ingest(
        team,
        owner,
        "manual.md",
        "# Manual\n\n## Visitantes\n\nOs visitantes da fábrica de Vagos usam um crachá amarelo e são "
        "recebidos no portão norte.\n",
    )
    text = told(team, owner, "Onde são recebidos os visitantes da fábrica de Berlim?").answer[
        "text"
    ]
    assert text.startswith("Não sei")
    assert "Nenhuma das passagens pesquisadas contém “Berlim”." in text
    assert "Mais próximos: manual.md" in text


def test_a_name_is_no_reason_where_the_passages_are_in_another_language(
    team: Workspace, owner: User
) -> None:
    # Who writes "Lisbon" of Lisboa may do so of a name that no list here knows.
    found = hit("Os visitantes usam um crachá amarelo.", 0.01, "pt")
    question = "Where are visitors of the Berlin plant met?"
    held = known(
        workspace=team, user=owner, text=question, language="en", hits=[found], filters=NOTHING
    )
    assert held == Known()


def test_among_a_few_passages_a_low_contrast_is_no_reason(team: Workspace, owner: User) -> None:
    found = hit("Visitors wear a yellow badge.", 0.0)
    question = "How are the guests distinguished?"
    held = known(
        workspace=team, user=owner, text=question, language="en", hits=[found], filters=NOTHING
    )
    assert held.counts == ()


def test_a_name_that_another_document_holds_is_not_said_to_be_nowhere(
    team: Workspace, owner: User
) -> None:
    question = "Where are visitors of the Berlin plant met?"
    assert seen(team, owner, question).names == ("Berlin",)
    ingest(team, owner, "trip.md", TRIP)
    assert seen(team, owner, question).names == ()
    # Within a filter only what it leaves was searched.
    assert seen(team, owner, question, Filters(documents=("handbook.md",))).names == ("Berlin",)


def test_what_others_may_read_is_not_known_to_a_reader(team: Workspace, owner: User) -> None:
    elsewhere = make_workspace(make_user())
    ingest(elsewhere, elsewhere.memberships.get().user, "trip.md", TRIP)
    question = "Who leads the Berlin office of Tomar?"
    assert seen(team, owner, question).names == ("Berlin",)
    assert seen(team, make_member(team), question).names == ("Berlin",)
    stranger = elsewhere.memberships.get().user
    assert seen(elsewhere, stranger, question).names == ("Tomar",)
    for nobody in (stranger, make_user(), cast("User", AnonymousUser())):
        assert seen(team, nobody, question).names == ("Berlin", "Tomar")


def test_a_name_in_a_table_or_in_a_documents_own_name_is_known(
    team: Workspace, owner: User
) -> None:
    ingest(team, owner, "Zwickau.csv", "Orchard;Crates\nAlderhill;5000\nBrook;7\n")
    question = "How are the crates of Alderhill and of Zwickau and of Ghent carried?"
    assert seen(team, owner, question).names == ("Ghent",)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who leads the Berlin office?", ["Berlin"]),
        ("What happened in 2019 to kiln FR-7?", ["FR-7", "2019"]),
        ("Is the gate open on Monday in March?", []),
        ("Who is the CEO?", []),
        ("Is 500 kg more than I've ordered?", []),
        ("WHERE ARE THE VISITORS MET", []),
    ],
)
def test_names_are_what_a_document_about_the_question_must_hold(
    question: str, found: list[str]
) -> None:
    assert names(question) == found


def test_words_that_go_with_anything_are_not_looked_for() -> None:
    assert asked("How often does the yacht get a new coat?", "en") == ["yacht", "coat"]
    assert asked("how often again", "en") == ["often", "again"]


def test_coverage_weighs_words_by_rarity_and_knows_the_other_language() -> None:
    held = Known(total=100, counts=(("tiles", 60), ("television", 0), ("visitors", 2)))
    rare = hit("Os visitantes vêem televisão.", 0.05, "pt")
    common = hit("Tiles, tiles, tiles.", 0.05)
    assert coverage(held, [rare], "en") > 0.9
    assert coverage(held, [common], "en") < 0.1
    assert coverage(held, [common, rare], "en") == coverage(held, [rare], "en")


def test_a_doubtful_passage_is_quoted_only_when_it_holds_enough_of_the_rare_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refusal, "bound", lambda: 0.085)
    question = "What colour is the yacht?"
    counts = (("colour", 30), ("yacht", 0))
    held = Known(total=300, counts=counts, absent=("yacht",))
    found = hit("The colour of the tiles is blue.", 0.05)
    assert doubt(part(question, found, held)) == Doubt(words=("yacht",))
    assert doubt(part(question, hit(found.text, 0.09), held)) is None
    assert doubt(part(question, hit("The yacht has the colour blue.", 0.05), held)) is None
    # Without a count nothing was in doubt.
    assert doubt(part(question, found, Known())) is None


def test_an_embedder_without_a_fit_has_no_bound_but_names_still_refuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refusal, "bound", lambda: -1.0)
    held = Known(total=300, counts=(("yacht", 0),), absent=("yacht",))
    found = hit("Nothing of the kind.", 0.05)
    assert doubt(part("What colour is it?", found, held)) is None
    named = Known(names=("Berlin",))
    assert doubt(part("What colour is it?", found, named)) == Doubt(names=("Berlin",))
