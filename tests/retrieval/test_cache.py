from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engines.registry import embedder
from retrieval import cache
from retrieval.models import CachedAnswer
from routing.changes import AnchorDraft
from routing.curation import change_apply, change_putting
from routing.revisions import revision_create
from routing.rules import revision_newest
from teams.access import rights_once
from teams.models import Role
from tests.factories import ingest, make_member, make_workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
ANSWER: dict[str, Any] = {"text": "42 [1]", "citations": []}


@pytest.fixture
def team() -> Workspace:
    return make_workspace()


@pytest.fixture
def owner(team: Workspace) -> User:
    made = make_member(team, Role.OWNER)
    ingest(team, made, "plants.md", "# Plants\n\nThe plant in Tomar makes tiles.\n")
    return made


def vector_of(question: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = embedder().queries([question])[0]
    return vector


def keep(team: Workspace, user: User, question: str, **more: Any) -> None:
    cache.remember(
        workspace=team,
        user=user,
        question=question,
        vector=vector_of(question),
        parts=[],
        answer=ANSWER | more,
        seen=cache.scope(team, user),
    )


def found(team: Workspace, user: User, question: str) -> bool:
    vector = vector_of(question)
    seen = cache.scope(team, user)
    held = cache.recall(workspace=team, user=user, question=question, vector=vector, seen=seen)
    return held is not None


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("How do I switch the kiln on?", "How do I switch the kiln off?"),
        ("Como se liga o forno de Tomar?", "Como se desliga o forno de Tomar?"),
        ("Which plants sold more than Tomar?", "Which plants sold less than Tomar?"),
        ("Quem vendeu mais do que Tomar?", "Quem vendeu menos do que Tomar?"),
        ("How long is it from Tomar to Vagos?", "How long is it from Vagos to Tomar?"),
        ("Quanto demora de Tomar a Vagos?", "Quanto demora de Vagos a Tomar?"),
        ("Who is the oldest director?", "Who is the youngest director?"),
        ("Which language do most countries speak?", "Which country speaks most languages?"),
    ],
)
def test_I1_the_answer_to_the_opposite_question_is_never_given(
    team: Workspace, owner: User, kept: str, asked: str
) -> None:
    keep(team, owner, kept)
    assert found(team, owner, kept)
    assert not found(team, owner, asked)


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("receita do sudeste", "receita do nordeste"),
        ("sales of tomar in 2024", "sales of vagos in 2024"),
        ("quem é ana lopes", "quem é ana soares"),
    ],
)
def test_I3_a_name_in_lower_case_parts_two_questions(
    team: Workspace, owner: User, kept: str, asked: str
) -> None:
    keep(team, owner, kept)
    assert found(team, owner, kept.title())
    assert not found(team, owner, asked)


def test_D5_an_answer_goes_with_the_version_that_it_cites(team: Workspace, owner: User) -> None:
    document = team.documents.get(name="plants.md")
    keep(team, owner, "What does Tomar make?", citations=[{"version_id": str(document.current_id)}])
    assert found(team, owner, "What does Tomar make?")
    ingest(team, owner, "plants.md", "# Plants\n\nThe plant in Tomar makes vases.\n")
    assert not found(team, owner, "What does Tomar make?")


def test_E4_only_who_may_read_the_same_gets_a_kept_answer(team: Workspace, owner: User) -> None:
    asked = "What does Tomar make?"
    keep(team, owner, asked)
    reader = make_member(team, Role.READER)
    stranger = make_workspace().memberships.get().user
    assert found(team, reader, asked)
    assert not found(team, stranger, asked)
    team.memberships.filter(user=reader).delete()
    assert not found(team, reader, asked)


def test_other_words_for_the_same_question_get_the_kept_answer(
    team: Workspace, owner: User
) -> None:
    keep(team, owner, "How many plants are there in Tomar?")
    assert found(team, owner, "What is the number of plants in Tomar?")


def test_what_is_asked_of_oneself_is_kept_for_oneself(team: Workspace, owner: User) -> None:
    keep(team, owner, "What are my tasks in Tomar?")
    assert found(team, owner, "What are my tasks in Tomar?")
    assert not found(team, make_member(team, Role.READER), "What are my tasks in Tomar?")


def test_what_is_asked_of_today_is_kept_for_the_day(team: Workspace, owner: User) -> None:
    keep(team, owner, "Quanto vendemos este mês em Tomar?")
    assert found(team, owner, "Quanto vendemos este mês em Tomar?")
    CachedAnswer.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert not found(team, owner, "Quanto vendemos este mês em Tomar?")


def test_answers_of_what_can_no_longer_be_read_are_swept(team: Workspace, owner: User) -> None:
    keep(team, owner, "What does Tomar make?")
    keep(team, owner, "Who is in Tomar?")
    other = make_workspace()
    keep(other, other.memberships.get().user, "What does Tomar make?")
    ingest(team, owner, "more.md", "# More\n\nVagos makes lamps.\n")
    keep(team, owner, "What does Vagos make?")
    assert CachedAnswer.objects.filter(workspace=team).count() == 1
    assert CachedAnswer.objects.filter(workspace=other).count() == 1


def test_finding_a_kept_answer_takes_a_query_for_each_thing_that_it_depends_on(
    team: Workspace, owner: User
) -> None:
    question = "What does Tomar make?"
    keep(team, owner, question)
    vector = vector_of(question)
    with CaptureQueriesContext(connection) as asked, rights_once():
        seen = cache.scope(team, owner)
        entry = cache.recall(
            workspace=team, user=owner, question=question, vector=vector, seen=seen
        )
        assert entry is not None
        assert entry.answer
    # The person's rights, the vocabulary, the versions, the merged names, the revision, the entries.
    assert len(asked.captured_queries) == 6


def test_an_answer_goes_with_the_anchors_that_routed_its_question(
    team: Workspace, owner: User
) -> None:
    question = "What does Tomar make?"
    keep(team, owner, question)
    other = make_workspace()
    stranger = other.memberships.get().user
    keep(other, stranger, question)
    change = change_putting(team.pk, [AnchorDraft("graph", "en", "Who makes what?")])
    change_apply(change=change, author=owner, reason="x", expected=revision_newest())
    assert not found(team, owner, question)
    assert found(other, stranger, question)
    revision_create(author=None, reason="for all")
    assert not found(other, stranger, question)


def test_an_answer_marked_by_another_edition_of_the_guard_goes_with_the_next_one_kept(
    team: Workspace, owner: User
) -> None:
    for edition in ({}, {"edition": ["0"]}):
        keep(team, owner, "What does Tomar make?")
        CachedAnswer.objects.filter(workspace=team).update(guard=edition)
        keep(team, owner, "Where are tiles made?")
        assert [row.question for row in CachedAnswer.objects.filter(workspace=team)] == [
            "Where are tiles made?"
        ]
