"""What a change of anchors would do, and that this is what then happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import PermissionDenied

from corpus.models import Chunk
from corpus.rerouting import reroute_run
from engines.registry import embedder
from retrieval.curating import change_save
from retrieval.impact import change_impact
from retrieval.stores import probes
from routing.changes import (
    AnchorDraft,
    Change,
    ChangeInvalid,
    ChangeStale,
    change_as_json,
    change_parse,
)
from routing.curation import change_apply, change_putting, change_switching
from routing.labelling import label_add
from routing.models import Anchor, Revision, Thresholds
from routing.revisions import change_restoring, scope_anchors
from routing.rules import bounds_in_force, revision_newest, rules_in_force
from routing.services import question_route
from routing.values import Bounds
from teams.audit_models import AuditAction, AuditEntry
from teams.models import Role
from telemetry.models import RunState, Trace
from tests.corpus.stores import NOTE, OTHER
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
ASKED = "Quantos dias de férias tem cada colaborador por ano?"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "notas.md", NOTE)
    ingest(made, owner, "ferias.md", OTHER)
    return made


def told(team: Workspace, user: User, question: str = ASKED) -> Trace:
    """A stored trace of a question that the router decided."""
    route = routed(team, user, question)
    part = {"position": 0, "text": question, "said": question, "route": route, "stage": "cosine"}
    trace: Trace = Trace.objects.create(
        workspace=team, user=user, question=question, state=RunState.DONE, parts=[part], route=route
    )
    return trace


def routed(team: Workspace, user: User, question: str = ASKED) -> str:
    vector = embedder().queries([question])[0]
    asked = probes(workspace=team, user=user, text=question, language="pt")
    return question_route(
        workspace=team, user=user, text=question, vector=vector, probes=asked
    ).route


def to_graph(team: Workspace) -> Change:
    """Own anchors that speak for the graph with the very words of the question and of the passages."""
    texts = [ASKED, *Chunk.objects.filter(workspace=team).values_list("text", flat=True)]
    drafts = [AnchorDraft("graph", "pt", " ".join(text.split())[:300]) for text in texts]
    return change_putting(team.pk, drafts)


def test_the_figures_of_the_impact_are_what_then_happens(owner: User, team: Workspace) -> None:
    told(team, owner)
    label_add(workspace=team, user=owner, text=ASKED, route="graph")
    before = routed(team, owner)
    change = to_graph(team)

    impact = change_impact(change=change, user=owner)
    revision, jobs = change_save(
        change=change,
        author=owner,
        reason="the graph knows",
        expected=impact.revision,
        reroute=True,
    )
    assert [reroute_run(job.pk) for job in jobs] == ["done"]
    jobs[0].refresh_from_db()

    (here,) = impact.workspaces
    assert here.passages.moved == jobs[0].moved > 0
    for (_from, to), count in here.passages.moves.items():
        moved = jobs[0].changes.filter(new_route=to, old_route=_from)
        assert moved.count() == count
    (flip,) = here.questions.flips
    assert (flip.before, flip.after) == (before, routed(team, owner))
    assert before != "graph" == routed(team, owner)
    assert (here.labelled.before, here.labelled.after) == (0.0, 1.0)
    assert jobs[0].revision == revision.pk


def test_any_revision_can_be_restored_and_the_question_flips_back(
    owner: User, team: Workspace
) -> None:
    first = change_apply(
        change=change_putting(team.pk, [AnchorDraft("graph", "pt", "Quem é quem?")]),
        author=owner,
        reason="a first one",
        expected=revision_newest(),
    )
    before, stood = routed(team, owner), scope_anchors(team.pk)
    change_apply(change=to_graph(team), author=owner, reason="many", expected=revision_newest())
    assert routed(team, owner) != before

    back = change_restoring(first, team)
    assert change_impact(change=back, user=owner).revision == revision_newest()
    revision = change_apply(change=back, author=owner, reason="no", expected=revision_newest())

    assert routed(team, owner) == before
    assert scope_anchors(team.pk) == stood
    assert revision.restores_id == first.pk
    assert change_restoring(first, team).empty


def test_trying_a_change_writes_nothing(owner: User, team: Workspace) -> None:
    told(team, owner)
    counts = (Anchor.objects.count(), Revision.objects.count(), Trace.objects.count())
    rows = list(Chunk.objects.order_by("pk").values("pk", "route", "decision"))

    change_impact(change=to_graph(team), user=owner)

    assert (Anchor.objects.count(), Revision.objects.count(), Trace.objects.count()) == counts
    assert list(Chunk.objects.order_by("pk").values("pk", "route", "decision")) == rows


def test_a_curator_learns_nothing_of_questions_that_they_may_not_read(
    owner: User, team: Workspace
) -> None:
    told(team, owner)
    curator = make_member(team, Role.CURATOR)

    (seen,) = change_impact(change=to_graph(team), user=curator).workspaces

    assert (seen.questions.seen, seen.questions.flips) == (0, ())
    (all_of_it,) = change_impact(change=to_graph(team), user=owner).workspaces
    assert all_of_it.questions.seen == 1


def test_only_curators_change_own_anchors_and_only_superusers_the_shared(
    owner: User, team: Workspace
) -> None:
    own, shared = to_graph(team), Change(None, bounds=Bounds(0.5, 0.5, 0.5))
    nobody_here = [make_member(team), make_user(), make_member(make_workspace(), Role.OWNER)]
    for person in nobody_here:
        for change in (own, shared):
            with pytest.raises(PermissionDenied):
                change_impact(change=change, user=person)
            with pytest.raises(PermissionDenied):
                change_apply(change=change, author=person, reason="x", expected=revision_newest())
    with pytest.raises(PermissionDenied):
        change_impact(change=shared, user=owner)
    operator = make_user()
    operator.is_superuser = True
    operator.save()
    change_apply(change=shared, author=operator, reason="x", expected=revision_newest())
    assert bounds_in_force(str(embedder().identity)) == shared.bounds
    with pytest.raises(PermissionDenied):
        change_impact(change=own, user=operator)


def test_a_change_made_meanwhile_is_not_overwritten(owner: User, team: Workspace) -> None:
    seen = change_impact(change=to_graph(team), user=owner).revision
    other = change_putting(team.pk, [AnchorDraft("graph", "pt", "Quem manda?")])
    change_apply(change=other, author=owner, reason="quicker", expected=seen)

    with pytest.raises(ChangeStale):
        change_apply(change=to_graph(team), author=owner, reason="late", expected=seen)
    assert len(scope_anchors(team.pk)) == 1


def test_own_thresholds_rule_in_their_workspace_alone_until_they_are_dropped(
    owner: User, team: Workspace
) -> None:
    identity, elsewhere = str(embedder().identity), make_workspace()
    shared = bounds_in_force(identity)
    start = change_apply(
        change=Change(team.pk, bounds=Bounds(0.7, 0.4, 0.2)),
        author=owner,
        reason="stricter",
        expected=revision_newest(),
    )
    assert rules_in_force(team).bounds == Bounds(0.7, 0.4, 0.2)
    assert rules_in_force(elsewhere).bounds == shared

    dropped = Change(team.pk, bounds_dropped=True)
    change_apply(change=dropped, author=owner, reason="back", expected=revision_newest())
    assert rules_in_force(team).bounds == shared
    again = change_restoring(start, team)
    change_apply(change=again, author=owner, reason="no", expected=revision_newest())
    assert rules_in_force(team).bounds == Bounds(0.7, 0.4, 0.2)
    assert Thresholds.objects.get(workspace=team).source == f"r{start.pk}"


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (AnchorDraft("nowhere", "pt", "x"), "nowhere"),
        (AnchorDraft("graph", "xx", "x"), "xx"),
        (AnchorDraft("graph", "pt", "  "), "needs a text"),
        (AnchorDraft("graph", "pt", "x" * 301), "300"),
    ],
)
def test_a_change_that_cannot_stand_says_why(
    owner: User, team: Workspace, draft: AnchorDraft, said: str
) -> None:
    with pytest.raises(ChangeInvalid, match=said):
        change_impact(change=Change(team.pk, put=((None, draft),)), user=owner)


def test_anchors_of_another_scope_cannot_be_reached_by_their_keys(
    owner: User, team: Workspace
) -> None:
    shared = Anchor.objects.filter(workspace=None).first()
    assert shared is not None
    for change in (
        Change(team.pk, put=((shared.pk, AnchorDraft("graph", "pt", "mine now")),)),
        Change(team.pk, remove=(shared.pk,)),
    ):
        with pytest.raises(ChangeInvalid, match="no longer there"):
            change_apply(change=change, author=owner, reason="x", expected=revision_newest())


def test_texts_can_be_exchanged_and_keys_stay(owner: User, team: Workspace) -> None:
    drafts = [AnchorDraft("graph", "pt", "um"), AnchorDraft("graph", "pt", "dois")]
    putting = change_putting(team.pk, drafts)
    change_apply(change=putting, author=owner, reason="two", expected=revision_newest())
    (one, _a), (two, _b) = scope_anchors(team.pk)
    swap = Change(team.pk, put=((one, drafts[1]), (two, drafts[0])))
    change_apply(change=swap, author=owner, reason="swap", expected=revision_newest())
    assert scope_anchors(team.pk) == [(one, drafts[1]), (two, drafts[0])]
    off = change_switching(team.pk, [one], active=False)
    change_apply(change=off, author=owner, reason="off", expected=revision_newest())
    assert "dois" not in rules_in_force(team).anchors.texts
    entries = AuditEntry.objects.filter(action=AuditAction.ANCHORS_CHANGED, workspace=team)
    assert entries.count() == 3


def test_a_change_travels_as_json(team: Workspace) -> None:
    change = Change(
        team.pk,
        put=((None, AnchorDraft("graph", "pt", "x")), (3, AnchorDraft("graph", "en", "y", False))),
        remove=(7,),
        bounds=Bounds(0.1234567890123, -0.2, 0.3),
        restores=4,
    )
    assert change_parse(change_as_json(change)) == change
    damaged: list[object] = [{}, [], None, {"workspace": "no", "put": []}]
    for broken in [*damaged, {**change_as_json(change), "put": 3}]:
        with pytest.raises(ChangeInvalid):
            change_parse(broken)
