from __future__ import annotations

import pytest

from engines.registry import embedder
from routing.curation import change_apply, change_switching
from routing.models import Anchor, Revision, StoreTerm
from routing.rules import anchors_in_force, revision_newest
from routing.services import (
    question_route,
    store_terms_replace,
    terms_named,
)
from routing.values import RELATIONAL, TermDraft
from teams.models import Role
from tests.factories import ingest, make_member, make_workspace

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("Quantas vendas houve em maio?", "relational"),
        ("What was the total revenue in 2024?", "relational"),
        ("Qual é o prazo para devolver um produto com defeito?", "vectorial"),
        ("How do I report a work accident?", "vectorial"),
        ("Quem fornece a argila à fábrica?", "graph"),
        ("Who does the sales director report to?", "graph"),
    ],
)
def test_plain_questions_take_their_route(question: str, route: str) -> None:
    workspace = make_workspace()
    decision = question_route(
        workspace=workspace,
        user=make_member(workspace),
        text=question,
        vector=embedder().queries([question])[0],
    )

    assert decision.route == route, decision.reason


def test_disabling_anchors_is_a_revision_and_takes_effect_at_once() -> None:
    workspace = make_workspace()
    before = anchors_in_force(workspace)
    person = make_member(workspace)
    person.is_superuser = True
    person.save()
    keys = list(Anchor.objects.filter(route_id="graph").values_list("pk", flat=True))
    change = change_switching(None, keys, active=False)
    change_apply(change=change, author=person, reason="no graph", expected=revision_newest())
    after = anchors_in_force(workspace)

    assert "graph" in before.routes
    assert "graph" not in after.routes
    assert after.revision > before.revision
    assert Revision.objects.first().author == person  # type: ignore[union-attr]


def test_an_anchor_of_one_workspace_does_not_serve_another() -> None:
    mine, theirs = make_workspace(), make_workspace()
    Anchor.objects.create(route_id="graph", workspace=mine, language="pt", text="só nosso")

    assert "só nosso" in anchors_in_force(mine).texts
    assert "só nosso" not in anchors_in_force(theirs).texts


def test_store_terms_are_found_by_those_who_may_see_them_only() -> None:
    workspace, elsewhere = make_workspace(), make_workspace()
    reader, stranger = make_member(workspace, Role.CONTRIBUTOR), make_member(elsewhere)
    store_terms_replace(
        workspace=workspace,
        document_id=ingest(workspace, reader, "a.md", "Nada.").pk,
        terms=[TermDraft(RELATIONAL, StoreTerm.Kind.VALUE, "Grão Novo")],
    )

    found = terms_named(workspace=workspace, user=reader, text="E quanto do grao novo?")

    assert found == [(RELATIONAL, "Grão Novo")]
    assert terms_named(workspace=workspace, user=stranger, text="E quanto do grao novo?") == []
