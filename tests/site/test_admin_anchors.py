"""Anchors in the admin, by a curator, a reader of the same team, a stranger and nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from corpus.reroute_models import Reroute
from routing.changes import AnchorDraft
from routing.curation import change_apply, change_putting
from routing.models import Anchor, Revision
from routing.revisions import scope_anchors
from routing.rules import bounds_in_force, revision_newest
from teams.audit_models import AuditAction, AuditEntry
from teams.models import Role
from tests.factories import make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
LIST = "admin:routing_anchor_changelist"
SECRET = "Quem conhece a receita do esmalte azul?"


@pytest.fixture
def team() -> Workspace:
    return make_workspace(name="Azul")


@pytest.fixture
def curator(team: Workspace, client: Client) -> User:
    person = make_member(team, Role.CURATOR)
    client.force_login(person)
    return person


@pytest.fixture
def foreign() -> Anchor:
    owner = make_user()
    elsewhere = make_workspace(owner, name="Verde")
    change = change_putting(elsewhere.pk, [AnchorDraft("graph", "pt", SECRET)])
    change_apply(change=change, author=owner, reason=SECRET, expected=revision_newest())
    return Anchor.objects.get(text=SECRET)


def confirm(client: Client, page: object, **more: str) -> str:
    """Post the form of an impact page; gives the address that it leads to."""
    context = page.context  # type: ignore[attr-defined]
    form = {
        "change": context["change_json"],
        "revision": str(context["impact"].revision),
        "reason": "because",
    }
    reply = client.post(reverse("admin:routing_anchor_confirm"), form | more)
    return str(getattr(reply, "url", ""))


def test_a_curator_adds_an_anchor_after_seeing_its_impact(
    client: Client, curator: User, team: Workspace
) -> None:
    form = {
        "workspace": str(team.pk), "route": "graph", "language": "pt", "text": "Quem manda?",
        "active": "on",
    }  # fmt: skip
    page = client.post(reverse("admin:routing_anchor_add"), form)
    assert "Quem manda?" in page.content.decode()
    assert scope_anchors(team.pk) == []

    address = confirm(client, page, reroute="1")

    assert [draft.text for _key, draft in scope_anchors(team.pk)] == ["Quem manda?"]
    revision = Revision.objects.first()
    assert revision is not None
    assert (revision.author, revision.reason, revision.workspace) == (curator, "because", team)
    assert address == reverse("admin:routing_revision_change", args=[revision.pk])
    assert Reroute.objects.get(workspace=team).revision == revision.pk
    assert "Quem manda?" in client.get(address).content.decode()


def test_an_anchor_is_edited_disabled_and_removed_each_as_a_revision(
    client: Client, curator: User, team: Workspace
) -> None:
    change = change_putting(team.pk, [AnchorDraft("graph", "pt", "Quem manda?")])
    change_apply(change=change, author=curator, reason="x", expected=revision_newest())
    key = scope_anchors(team.pk)[0][0]
    start = revision_newest()

    edit = {"route": "relational", "language": "pt", "text": "Quantos mandam?", "active": "on"}
    confirm(client, client.post(reverse("admin:routing_anchor_change", args=[key]), edit))
    assert scope_anchors(team.pk) == [(key, AnchorDraft("relational", "pt", "Quantos mandam?"))]
    for action in ("disable", "enable", "remove"):
        chosen = {"action": action, "_selected_action": [str(key)]}
        confirm(client, client.post(reverse(LIST), chosen))
    assert scope_anchors(team.pk) == []
    assert Revision.objects.filter(pk__gt=start, workspace=team).count() == 4


def test_a_list_is_pasted_and_a_file_comes_and_goes(
    client: Client, curator: User, team: Workspace
) -> None:
    pasted = {"workspace": str(team.pk), "route": "graph", "language": "pt", "lines": "um\ndois"}
    confirm(client, client.post(reverse("admin:routing_anchor_paste"), pasted))
    file = client.get(reverse("admin:routing_anchor_export"), {"workspace": str(team.pk)})
    text = file.content.decode()
    assert "um" in text and "dois" in text
    assert AuditEntry.objects.filter(action=AuditAction.EXPORTED, actor=curator).count() == 1

    given = ContentFile(text.replace("um", "três").encode(), name="a.yaml")
    posted = {"workspace": str(team.pk), "file": given, "replace": "on"}
    confirm(client, client.post(reverse("admin:routing_anchor_import"), posted))
    assert {draft.text for _key, draft in scope_anchors(team.pk)} == {"três", "dois"}

    broken = {"workspace": str(team.pk), "text": "anchors:\n- {route: x, language: pt, text: a}\n"}
    page = client.post(reverse("admin:routing_anchor_import"), broken)
    assert "Line 2" in page.content.decode()


def test_thresholds_are_set_and_a_revision_is_restored(
    client: Client, curator: User, team: Workspace
) -> None:
    change = change_putting(team.pk, [AnchorDraft("graph", "pt", "Quem manda?")])
    first = change_apply(change=change, author=curator, reason="x", expected=revision_newest())
    form = {"workspace": str(team.pk), "tau_high": "0.7", "tau_low": "0.3", "delta": "0.4"}
    confirm(client, client.post(reverse("admin:routing_thresholds_add"), form))
    assert bounds_in_force(first_embedder(), team).tau_high == 0.7

    restore = reverse("admin:routing_revision_restore", args=[first.pk])
    confirm(client, client.post(restore, {"workspace": str(team.pk)}))
    assert bounds_in_force(first_embedder(), team) == bounds_in_force(first_embedder())


def first_embedder() -> str:
    from engines.registry import embedder

    return str(embedder().identity)


def test_a_curator_sees_nothing_of_another_workspace(
    client: Client, curator: User, foreign: Anchor
) -> None:
    revision = Revision.objects.get(workspace=foreign.workspace)
    scope = str(foreign.workspace_id)
    for name in ("anchor", "revision", "thresholds"):
        page = client.get(reverse(f"admin:routing_{name}_changelist")).content.decode()
        assert SECRET not in page and "Verde" not in page
    assert SECRET not in client.get(reverse(LIST), {"q": "esmalte"}).content.decode()
    assert SECRET not in client.get(reverse(LIST), {"workspace": scope}).content.decode()
    assert (
        client.get(reverse("admin:routing_anchor_export"), {"workspace": scope}).status_code == 404
    )
    for name, key in (("anchor", foreign.pk), ("revision", revision.pk)):
        for page_name in ("change", "delete", "history"):
            reply = client.get(reverse(f"admin:routing_{name}_{page_name}", args=[key]))
            assert reply.status_code in (403, 404), (name, page_name)
    restore = reverse("admin:routing_revision_restore", args=[revision.pk])
    assert client.post(restore, {"workspace": scope}).status_code == 404
    form = {"workspace": scope, "route": "graph", "language": "pt", "text": "x", "active": "on"}
    assert client.post(reverse("admin:routing_anchor_add"), form).status_code == 200
    assert not Anchor.objects.filter(text="x").exists()


def test_a_forged_confirmation_of_another_scope_is_refused(
    client: Client, curator: User, foreign: Anchor, team: Workspace
) -> None:
    import json

    from routing.changes import Change, change_as_json

    for scope in (foreign.workspace_id, None):
        change = Change(scope, put=((None, AnchorDraft("graph", "pt", "forged")),))
        form = {
            "change": json.dumps(change_as_json(change)),
            "revision": str(revision_newest()),
            "reason": "x",
            "reroute": "1",
        }
        assert client.post(reverse("admin:routing_anchor_confirm"), form).status_code == 403
    assert not Anchor.objects.filter(text="forged").exists()
    for broken in ("", "{", "3", '{"workspace": 1}'):
        reply = client.post(
            reverse("admin:routing_anchor_confirm"),
            {"change": broken, "revision": "1", "reason": "x"},
        )
        assert reply.status_code == 302


def test_shared_anchors_are_read_by_curators_and_changed_by_superusers(
    client: Client, curator: User
) -> None:
    shared = Anchor.objects.filter(workspace=None).first()
    assert shared is not None
    address = reverse("admin:routing_anchor_change", args=[shared.pk])
    edit = {"route": "graph", "language": "pt", "text": "changed", "active": "on"}
    assert client.get(address).status_code == 200
    assert client.post(address, edit).status_code == 403
    page = client.post(reverse(LIST), {"action": "disable", "_selected_action": [str(shared.pk)]})
    assert page.status_code == 302
    curator.is_superuser = True
    curator.save()
    confirm(client, client.post(address, edit))
    shared.refresh_from_db()
    assert shared.text == "changed"


@pytest.mark.parametrize("who", ["reader", "stranger", "nobody"])
def test_nobody_else_comes_in(client: Client, team: Workspace, who: str, foreign: Anchor) -> None:
    if who == "reader":
        client.force_login(make_member(team))
    if who == "stranger":
        client.force_login(make_member(make_workspace()))
    own = Anchor.objects.filter(workspace=None).first()
    assert own is not None
    for address in (
        reverse("admin:index"),
        reverse(LIST),
        reverse("admin:routing_anchor_change", args=[own.pk]),
        reverse("admin:routing_anchor_paste"),
        reverse("admin:routing_anchor_import"),
        reverse("admin:routing_anchor_export"),
        reverse("admin:routing_revision_changelist"),
    ):
        reply = client.get(address)
        assert reply.status_code == 302 and "login" in reply.url, address  # type: ignore[attr-defined]


def test_an_auditor_comes_in_and_may_not_curate(client: Client, team: Workspace) -> None:
    client.force_login(make_member(team, Role.AUDITOR))
    assert client.get(reverse("admin:index")).status_code == 200
    assert client.get(reverse(LIST)).status_code == 403
    assert client.get(reverse("admin:routing_anchor_paste")).status_code == 404


def test_a_job_that_runs_keeps_a_second_save_away_whole(
    client: Client, curator: User, team: Workspace
) -> None:
    Reroute.objects.create(workspace=team, author=curator, reason="busy")
    pasted = {"workspace": str(team.pk), "route": "graph", "language": "pt", "lines": "um"}
    page = client.post(reverse("admin:routing_anchor_paste"), pasted)
    assert confirm(client, page, reroute="1") == ""
    assert scope_anchors(team.pk) == []
