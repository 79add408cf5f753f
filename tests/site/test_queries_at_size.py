"""Every list and every page of one row takes as many statements however much is stored."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib import admin
from django.core.cache import cache
from django.test import Client

from corpus import route_counts as counting
from corpus.models import Chunk, Document
from corpus.quotas import stored_bytes, uploads_today, used_each
from corpus.reindex import index_state
from corpus.reroute_models import Reroute
from corpus.route_counts import route_counts
from engines.models import Engine
from engines.registry import embedder
from eval.admin_rows import PER_DOCUMENT, documents_add, entries_add, traces_add
from eval.bench_admin import opened, paths_of
from retrieval.quotas import asked_each, questions_today, tokens_month
from routing.changes import AnchorDraft
from routing.labelling import label_add
from routing.models import Anchor, Revision, Thresholds
from teams.models import Role, Workspace
from teams.quotas import QUESTIONS, STORAGE, TOKENS, UPLOADS
from telemetry import usage
from telemetry.models import Conversation
from tests.factories import make_member, make_user, make_workspace, upload

if TYPE_CHECKING:
    from teams.models import User

pytestmark = pytest.mark.django_db
FEW, MANY = 2, 10


@pytest.fixture
def operator() -> User:
    """An owner who is the operator too, so that every list of the admin opens."""
    made = make_user()
    made.is_staff = made.is_superuser = True
    made.save()
    return made


@pytest.fixture
def team(operator: User) -> Workspace:
    return make_workspace(operator)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine figures are kept, which would take fewer statements the second time."""
    monkeypatch.setattr(usage, "SLOW_SECONDS", math.inf)
    monkeypatch.setattr(counting, "SLOW_SECONDS", math.inf)


def rows_add(team: Workspace, owner: User, count: int) -> None:
    """`count` rows of whatever the pages list."""
    documents_add(team, owner, count)
    traces_add(team, owner, count)
    entries_add(team, owner, count)
    start = Anchor.objects.filter(workspace=team).count()
    for number in range(start, start + count):
        member = make_member(team, Role.CURATOR)
        Conversation.objects.create(workspace=team, user=owner, title=f"Talk {number}")
        Reroute.objects.create(workspace=team, author=member, reason=f"job {number}", state="done")
        Revision.objects.create(workspace=team, author=member, reason=f"revision {number}")
        draft = AnchorDraft("graph", "pt", f"Quem manda no forno {number}?")
        Anchor.objects.create(
            workspace=team, route_id=draft.route, language=draft.language, text=draft.text
        )
        Thresholds.objects.create(
            workspace=team, embedder=f"e{number}", tau_high=0.5, tau_low=0.1, delta=0.1
        )
        label_add(workspace=team, user=owner, text=f"Quem manda em {number}?", route="graph")
        Engine.objects.create(
            name=f"engine{number}", role="generator", model="m", base_url="http://x"
        )


def counted(owner: User, paths: dict[str, str]) -> dict[str, int]:
    client = Client(headers={"host": "localhost"})
    client.force_login(owner)
    return {name: opened(client, path, rounds=2).queries for name, path in paths.items()}


def test_five_times_the_rows_take_as_many_statements(team: Workspace, operator: User) -> None:
    rows_add(team, operator, FEW)
    paths = paths_of()
    few = counted(operator, paths)
    rows_add(team, operator, MANY - FEW)

    many = counted(operator, paths)

    assert {name: (few[name], many[name]) for name in paths if few[name] != many[name]} == {}
    models = {f"admin {model._meta.model_name}s" for model in admin.site._registry}
    assert models <= paths.keys()
    assert len(paths) > len(models) + 15


def test_use_counted_of_many_people_is_that_of_each(team: Workspace, operator: User) -> None:
    rows_add(team, operator, FEW)
    upload(team, operator, "a.md", "# A\n")
    people = [row.user for row in team.memberships.select_related("user")]
    each = used_each(team, [one.pk for one in people]) | asked_each(
        team, [one.pk for one in people]
    )
    for one in people:
        assert {kind: held.get(one.pk, 0) for kind, held in each.items()} == {
            UPLOADS: uploads_today(team, one),
            STORAGE: stored_bytes(team, one),
            QUESTIONS: questions_today(team, one),
            TOKENS: tokens_month(team, one),
        }
    assert each[STORAGE][operator.pk] > 0 < each[UPLOADS][operator.pk]


def test_routes_are_counted_anew_when_a_document_comes_or_a_job_moves_passages(
    team: Workspace, operator: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(counting, "SLOW_SECONDS", 0)
    documents_add(team, operator, 1)
    first = route_counts(team, operator, [])
    assert sum(count for _route, count in first.counts) == PER_DOCUMENT
    with django_assert_num_queries(3):  # rights, what may be read, what is kept
        assert route_counts(team, operator, []) == first

    documents_add(team, operator, 1)
    assert sum(count for _route, count in route_counts(team, operator, []).counts) == 200
    Chunk.objects.filter(workspace=team).update(route="graph", decision={"near": True})
    job = Reroute.objects.create(workspace=team, author=operator, reason="x", done=1)
    found = route_counts(team, operator, [job])
    assert (found.counts, found.near) == ((("graph", 200),), 200)
    stranger = make_workspace()
    assert route_counts(stranger, stranger.memberships.get().user, [job]).counts == ()
    cache.clear()


def test_what_is_kept_of_routes_is_only_for_who_may_read_the_same(
    team: Workspace, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "SLOW_SECONDS", 0)
    documents_add(team, operator, 2)
    curator = make_member(team, Role.CURATOR)
    assert route_counts(team, curator, []) == route_counts(team, operator, [])
    Document.objects.filter(workspace=team, name="handbook 1.md").update(visibility="uploader")
    assert sum(count for _route, count in route_counts(team, operator, []).counts) == 200
    assert sum(count for _route, count in route_counts(team, curator, []).counts) == 100
    cache.clear()


def test_the_stale_part_of_the_index_is_what_another_embedder_made(
    team: Workspace, operator: User
) -> None:
    documents_add(team, operator, 1)
    identity = str(embedder().identity)
    assert index_state(team, operator, stale=True).counts == {}
    for other, rows in (("a" + identity, 3), ("z" + identity, 2), ("", 1)):
        keys = Chunk.objects.filter(workspace=team, embedder=identity).values("pk")[:rows]
        Chunk.objects.filter(pk__in=list(keys.values_list("pk", flat=True))).update(embedder=other)
    whole, stale = index_state(team, operator), index_state(team, operator, stale=True)
    assert (whole.stale, stale.stale, stale.total) == (6, 6, 6)
