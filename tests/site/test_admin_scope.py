"""Documents, jobs and traces in the admin: rows of one's own workspaces, a guessed id is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.admin.sites import site
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from corpus.models import Document, DocumentVersion, VersionState
from corpus.reroute_models import Reroute
from teams.models import Role, User, Workspace
from telemetry.models import RunState, Trace
from tests.factories import make_member, make_user, make_workspace, upload

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db
PAGES = ("corpus_document", "corpus_documentversion", "corpus_reroute", "telemetry_trace")


def filled(name: str) -> tuple[Workspace, User, dict[str, object]]:
    """A workspace with one row of each kind; every row's text holds `name`."""
    owner = make_user()
    team = make_workspace(owner, name=name)
    done = upload(team, owner, f"{name}.md", f"# {name}\n\nText.\n")
    DocumentVersion.objects.filter(pk=done.version.pk).update(state=VersionState.FAILED)
    job = Reroute.objects.create(workspace=team, author=owner, reason=name)
    trace = Trace.objects.create(
        workspace=team, user=owner, question=f"{name}?", state=RunState.DONE
    )
    rows: dict[str, object] = {
        "corpus_document": done.document.pk,
        "corpus_documentversion": done.version.pk,
        "corpus_reroute": job.pk,
        "telemetry_trace": trace.pk,
    }
    return team, owner, rows


def test_an_owner_sees_the_rows_of_their_workspace_and_of_no_other(client: Client) -> None:
    _team, owner, mine = filled("Azulejo")
    _other, _owner, theirs = filled("Vidraria")
    client.force_login(owner)
    for page in PAGES:
        listed = client.get(reverse(f"admin:{page}_changelist"))
        assert "Azulejo" in listed.content.decode(), page
        assert "Vidraria" not in listed.content.decode(), page
        assert client.get(reverse(f"admin:{page}_change", args=[mine[page]])).status_code == 200
        for view in ("change", "history"):
            guessed = client.get(reverse(f"admin:{page}_{view}", args=[theirs[page]]))
            assert guessed.status_code == 404, (page, view)
        deleting = client.post(reverse(f"admin:{page}_delete", args=[mine[page]]), {"post": "yes"})
        assert deleting.status_code == 403


def test_a_curator_reads_no_traces_and_an_auditor_no_jobs(client: Client) -> None:
    team, _owner, rows = filled("Azulejo")
    allowed = {
        Role.CURATOR: {"corpus_document", "corpus_documentversion", "corpus_reroute"},
        Role.AUDITOR: {"telemetry_trace"},
    }
    for role, pages in allowed.items():
        client.force_login(make_member(team, role))
        for page in PAGES:
            reply = client.get(reverse(f"admin:{page}_changelist"))
            assert (reply.status_code == 200) is (page in pages), (role, page)
            one = client.get(reverse(f"admin:{page}_change", args=[rows[page]]))
            assert (one.status_code == 200) is (page in pages), (role, page)


@pytest.mark.parametrize("who", ["reader", "stranger", "nobody"])
def test_nobody_else_comes_in(client: Client, who: str) -> None:
    team, _owner, rows = filled("Azulejo")
    if who == "reader":
        client.force_login(make_member(team))
    if who == "stranger":
        client.force_login(make_member(make_workspace()))
    for page in PAGES:
        for address in (
            reverse(f"admin:{page}_changelist"),
            reverse(f"admin:{page}_change", args=[rows[page]]),
        ):
            assert client.get(address).status_code == 302


def test_a_version_that_failed_is_read_again_and_one_of_another_team_is_not(
    client: Client,
) -> None:
    _team, owner, mine = filled("Azulejo")
    _other, _owner, theirs = filled("Vidraria")
    client.force_login(owner)
    both = [str(mine["corpus_documentversion"]), str(theirs["corpus_documentversion"])]
    form = {"action": "retry", "_selected_action": both}
    client.post(reverse("admin:corpus_documentversion_changelist"), form)
    states = {str(row.pk): row.state for row in DocumentVersion.objects.all()}
    assert [states[key] for key in both] == [VersionState.QUEUED, VersionState.FAILED]


def test_a_superuser_without_membership_reads_nobodys_rows(client: Client) -> None:
    filled("Azulejo")
    operator = make_user()
    operator.is_staff = operator.is_superuser = True
    operator.save()
    client.force_login(operator)
    for page in PAGES:
        reply = client.get(reverse(f"admin:{page}_changelist"))
        assert reply.status_code == 403 or "Azulejo" not in reply.content.decode()


@pytest.mark.parametrize("page", [*PAGES, "routing_anchor", "routing_revision"])
def test_lists_take_as_many_queries_however_long_they_are(client: Client, page: str) -> None:
    team, owner, _rows = filled("Azulejo")
    client.force_login(owner)
    address = reverse(f"admin:{page}_changelist")
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(address)
    for number in range(5):
        upload(team, owner, f"more{number}.md", f"# {number}\n")
        Trace.objects.create(workspace=team, user=owner, question="more", state=RunState.DONE)
        Reroute.objects.create(workspace=team, author=make_user(), reason="x", state="done")
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(few)


def test_every_model_of_the_rooms_in_the_admin_is_scoped_or_the_operators_alone(
    client: Client,
) -> None:
    """What a curator without Django permissions reaches is what the scoped admins show."""
    team, _owner, _rows = filled("Azulejo")
    client.force_login(make_member(team, Role.CURATOR))
    scoped = {"anchor", "thresholds", "revision", "document", "documentversion", "reroute"}
    for model in site._registry:
        name = model._meta.model_name
        address = reverse(f"admin:{model._meta.app_label}_{name}_changelist")
        reached = client.get(address).status_code == 200
        assert reached is (name in scoped), address
    assert Document.objects.exists()
