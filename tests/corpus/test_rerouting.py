"""Stored passages decided anew by other anchors, from the vectors they have; and put back."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import DatabaseError
from django.urls import reverse

from corpus import rerouting
from corpus.models import Chunk, Reroute, RerouteChange
from corpus.rerouting import (
    RerouteRefused,
    reroute_preview,
    reroute_queue,
    reroute_resume,
    reroute_run,
    reroute_undo,
)
from engines.registry import embedder
from routing.models import Anchor
from routing.near import near_boundary
from routing.revisions import revision_create
from routing.values import Bounds, Decision, RouteScore
from tests.corpus.stores import NOTE, OTHER
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    made = make_workspace(owner)
    ingest(made, owner, "notas.md", NOTE)
    ingest(made, owner, "ferias.md", OTHER)
    Chunk.objects.filter(workspace=made).update(route="other")
    return made


def kept(workspace: Workspace) -> dict[Any, tuple[str, Any]]:
    rows = Chunk.objects.filter(workspace=workspace)
    return {row.pk: (row.route, row.decision) for row in rows}


def vectors(workspace: Workspace) -> list[list[float]]:
    rows = Chunk.objects.filter(workspace=workspace).order_by("pk")
    return [np.asarray(row.embedding).tolist() for row in rows]


def test_changed_anchors_move_passages_and_embed_none(owner: User, workspace: Workspace) -> None:
    note = Chunk.objects.get(workspace=workspace, document__name="notas.md")
    Chunk.objects.filter(workspace=workspace).update(route="vectorial")
    before = vectors(workspace)
    Anchor.objects.exclude(route="graph").update(active=False)
    revision = revision_create(author=owner, reason="graph alone")

    with mock.patch.object(type(embedder()), "passages", side_effect=AssertionError):
        job = reroute_queue(workspace, owner, "graph alone")
        assert reroute_run(job.pk) == "done"

    note.refresh_from_db()
    assert (note.route, note.decision["revision"]) == ("graph", revision.pk)
    assert vectors(workspace) == before
    job.refresh_from_db()
    assert (job.moved, job.done, job.total) == (1, 2, 2)


def test_a_passage_without_relations_stays_in_the_text_store(
    owner: User, workspace: Workspace
) -> None:
    Anchor.objects.exclude(route="graph").update(active=False)
    revision_create(author=owner, reason="graph alone")
    reroute_run(reroute_queue(workspace, owner, "x").pk)
    row = Chunk.objects.get(workspace=workspace, document__name="ferias.md")
    assert row.route == "vectorial"
    assert row.decision["kept_as_text"] == "no relation was found in it"


def test_a_failure_leaves_the_document_whole_and_the_job_goes_on_later(
    owner: User, workspace: Workspace
) -> None:
    job = reroute_queue(workspace, owner, "x")
    real, calls = Chunk.objects.bulk_update, []

    def second_fails(rows: Any, fields: Any, **options: Any) -> Any:
        calls.append(1)
        done = real(rows, fields, **options)
        if len(calls) == 2:
            raise DatabaseError("the connection is gone")
        return done

    with (
        mock.patch.object(type(Chunk.objects), "bulk_update", side_effect=second_fails),
        pytest.raises(DatabaseError),
    ):
        reroute_run(job.pk)
    assert sorted(row[0] == "other" for row in kept(workspace).values()) == [False, True]
    assert RerouteChange.objects.filter(reroute=job).count() == 1
    job.refresh_from_db()
    assert (job.state, job.done) == ("running", 1)

    with mock.patch.object(rerouting, "_hand_over") as handed:
        assert reroute_resume() == 1
    assert handed.call_args.args[0].pk == job.pk
    assert reroute_run(job.pk) == "done"
    assert all(row[0] != "other" for row in kept(workspace).values())
    assert RerouteChange.objects.filter(reroute=job).count() == 2


def test_undo_puts_everything_back_once(owner: User, workspace: Workspace) -> None:
    before = kept(workspace)
    job = reroute_queue(workspace, owner, "x")
    reroute_run(job.pk)
    assert kept(workspace) != before
    reroute_undo(job, owner)
    assert reroute_run(job.pk) == "undone"
    assert kept(workspace) == before
    with pytest.raises(RerouteRefused, match="undone already"):
        reroute_undo(job, owner)


def test_undo_leaves_and_counts_what_was_read_anew(owner: User, workspace: Workspace) -> None:
    job = reroute_queue(workspace, owner, "x")
    reroute_run(job.pk)
    ingest(workspace, owner, "notas.md", NOTE + "\nMais uma frase sobre o barro.\n")
    Chunk.objects.filter(workspace=workspace, document__name="notas.md").delete()
    reroute_undo(job, owner)
    reroute_run(job.pk)
    job.refresh_from_db()
    assert job.left == 1


def test_one_job_at_a_time_and_no_other_workspace(owner: User, workspace: Workspace) -> None:
    other = make_user()
    elsewhere = make_workspace(other)
    ingest(elsewhere, other, "notas.md", NOTE)
    Chunk.objects.filter(workspace=elsewhere).update(route="other")
    before = kept(elsewhere)
    job = reroute_queue(workspace, owner, "x")
    with pytest.raises(RerouteRefused):
        reroute_queue(workspace, owner, "y")
    reroute_run(job.pk)
    assert kept(elsewhere) == before


def test_a_vector_of_another_embedder_is_left_and_counted(
    owner: User, workspace: Workspace
) -> None:
    Chunk.objects.filter(document__name="notas.md").update(embedder="another")
    job = reroute_queue(workspace, owner, "x")
    reroute_run(job.pk)
    job.refresh_from_db()
    assert (job.foreign, job.moved) == (1, 1)
    assert reroute_preview(workspace, owner).foreign == 1


def test_a_preview_writes_nothing(owner: User, workspace: Workspace) -> None:
    before = kept(workspace)
    preview = reroute_preview(workspace, owner)
    assert (preview.total, preview.moved, len(preview.examples)) == (2, 2, 2)
    assert kept(workspace) == before
    assert not Reroute.objects.exists()


def test_the_command_says_its_result_last(owner: User, workspace: Workspace) -> None:
    said = []
    for flags in (["--preview"], [], ["--undo"]):
        out = StringIO()
        named = ["--workspace", workspace.slug, "--user", owner.username]
        call_command("reroute", *named, *flags, stdout=out)
        said.append(json.loads(out.getvalue().splitlines()[-1].removeprefix("RESULT ")))
    assert sum(said[0]["moves"].values()) == 2
    assert (said[1]["state"], said[1]["moved"]) == ("done", 2)
    assert said[2]["state"] == "undone"


def test_only_who_may_curate_reaches_the_page(
    client: Client, owner: User, workspace: Workspace
) -> None:
    reader, stranger = make_member(workspace), make_user()
    make_workspace(stranger)
    job = reroute_queue(workspace, owner, "the reason")
    reroute_run(job.pk)
    page, undo = reverse("corpus-routes"), reverse("corpus-reroute-undo", args=[job.pk])
    assert client.get(page).status_code == 302
    client.force_login(owner)
    assert "the reason" in client.get(page + "?preview=1").content.decode()
    client.force_login(reader)
    assert client.get(page).status_code == 403
    assert client.post(undo).status_code == 403
    assert client.post(reverse("corpus-reroute"), {"reason": "x"}).status_code == 403
    client.force_login(stranger)
    assert "the reason" not in client.get(page).content.decode()
    assert client.post(undo).status_code == 404
    with pytest.raises(PermissionDenied):
        reroute_preview(workspace, reader)
    client.force_login(owner)
    assert client.post(undo).status_code == 302
    job.refresh_from_db()
    assert job.state == "undoing"


def test_near_is_a_small_margin() -> None:
    scores = (RouteScore("graph", 0.5, "a", 0.9), RouteScore("vectorial", 0.48, "b", 0.88))
    bounds = Bounds(tau_high=0.6, tau_low=0.5, delta=0.5)
    assert near_boundary(Decision("graph", "evidence", scores, 0.02, 1, ""), bounds)
    assert near_boundary(Decision("vectorial", "fallback", scores, 0.02, 1, ""), bounds)
    assert not near_boundary(Decision("graph", "evidence", scores, 0.2, 1, ""), bounds)
    assert not near_boundary(Decision("relational", "heuristic", scores, 0.0, 1, ""), bounds)
