"""Members and workspaces: changes take effect at once, and a workspace always has an owner."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection, connections
from django.urls import reverse

from corpus.models import Document, DocumentVersion
from teams.audit_models import AuditAction, AuditEntry
from teams.errors import LastOwner
from teams.members import membership_remove, membership_role_set
from teams.models import Membership, Role, User, Workspace
from tests import live
from tests.factories import make_member, make_user, make_workspace, upload

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


def of(team: Workspace, user: User) -> Membership:
    return Membership.objects.get(workspace=team, user=user)


def test_a_role_changes_at_once_and_is_written(
    client: Client, team: Workspace, owner: User
) -> None:
    reader = make_member(team)
    client.force_login(owner)
    client.post(reverse("member-role", args=[of(team, reader).pk]), {"role": Role.CURATOR})
    assert of(team, reader).role == Role.CURATOR
    entry = AuditEntry.objects.get(action=AuditAction.ROLE_CHANGED)
    assert (entry.actor_id, entry.target) == (owner.pk, reader.username)
    assert entry.details == {"from": Role.READER, "to": Role.CURATOR}


def test_who_is_removed_sees_nothing_more(client: Client, team: Workspace, owner: User) -> None:
    from django.test import Client as Browser

    reader, theirs = make_member(team), Browser()
    theirs.force_login(reader)
    assert theirs.get(reverse("chat")).status_code == 200
    client.force_login(owner)
    client.post(reverse("member-remove", args=[of(team, reader).pk]))
    for name in ("chat", "corpus", "telemetry", "members"):
        assert theirs.get(reverse(name)).status_code == 404
    assert AuditEntry.objects.get(action=AuditAction.REMOVED).target == reader.username


def test_the_last_owner_can_neither_leave_nor_step_down(
    client: Client, team: Workspace, owner: User
) -> None:
    client.force_login(owner)
    for path, form in (
        (reverse("member-leave"), {}),
        (reverse("member-role", args=[of(team, owner).pk]), {"role": Role.READER}),
        (reverse("member-remove", args=[of(team, owner).pk]), {}),
    ):
        page = client.post(path, form, follow=True)
        assert "A workspace needs an owner" in page.content.decode()
    assert of(team, owner).role == Role.OWNER
    assert not AuditEntry.objects.filter(workspace=team).exists()


def test_an_owner_who_cannot_sign_in_does_not_count(team: Workspace, owner: User) -> None:
    other = make_member(team, Role.OWNER)
    other.is_active = False
    other.save()
    with pytest.raises(LastOwner):
        membership_remove(membership=of(team, owner), actor=owner)
    other.is_active = True
    other.save()
    membership_remove(membership=of(team, owner), actor=owner)
    assert list(team.memberships.values_list("user", flat=True)) == [other.pk]


def test_leaving_leads_to_the_account_and_is_written(client: Client, team: Workspace) -> None:
    reader = make_member(team)
    client.force_login(reader)
    page = client.post(reverse("member-leave"), follow=True)
    assert page.redirect_chain == [(reverse("account"), 302)]
    assert "You are not a member of any workspace yet" in page.content.decode()
    assert not team.memberships.filter(user=reader).exists()
    assert AuditEntry.objects.get(action=AuditAction.LEFT).actor_id == reader.pk


def test_only_owners_of_this_workspace_change_its_members(
    client: Client, team: Workspace, owner: User
) -> None:
    held = of(team, owner)
    stranger = make_workspace().memberships.get().user
    paths = [
        (reverse("member-role", args=[held.pk]), {"role": Role.READER}),
        (reverse("member-remove", args=[held.pk]), {}),
        (reverse("workspace-name"), {"name": "Mine"}),
        (reverse("workspace-delete"), {"name": team.name}),
    ]
    for role in Role.values:
        if role == Role.OWNER:
            continue
        person = make_member(team, role)
        client.force_login(person)
        for path, form in paths:
            assert client.post(path, form).status_code == 403
        with pytest.raises(PermissionDenied):
            membership_role_set(membership=of(team, person), role=Role.OWNER, actor=person)
        with pytest.raises(PermissionDenied):
            membership_remove(membership=held, actor=person)
    client.force_login(stranger)
    for path, form in paths[:2]:
        assert client.post(path, form).status_code == 404
    client.logout()
    for path, form in [*paths, (reverse("members"), {}), (reverse("member-leave"), {})]:
        assert client.post(path, form)["Location"].startswith(reverse("login"))
    assert of(team, owner).role == Role.OWNER
    assert Workspace.objects.get(pk=team.pk).name == team.name


def test_members_see_each_other_and_addresses_are_for_owners(
    client: Client, team: Workspace, owner: User
) -> None:
    reader = make_member(team)
    reader.email = "private@example.org"
    reader.save()
    client.force_login(make_member(team))
    page = client.get(reverse("members")).content.decode()
    assert reader.username in page
    assert "private@example.org" not in page
    assert "<select" not in page.split('id="main"')[1]
    client.force_login(owner)
    assert "private@example.org" in client.get(reverse("members")).content.decode()


def test_the_page_takes_as_many_queries_for_many_members(
    client: Client, team: Workspace, owner: User, django_assert_num_queries: Any
) -> None:
    client.force_login(owner)
    client.get(reverse("members"))
    with connection.execute_wrapper(counting := Counting()):
        client.get(reverse("members"))
    few = counting.number
    for _ in range(20):
        make_member(team)
    with django_assert_num_queries(few):
        client.get(reverse("members"))


class Counting:
    def __init__(self) -> None:
        self.number = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.number += 1
        return execute(sql, params, many, context)


def test_anybody_opens_a_workspace_unless_the_instance_says_otherwise(
    client: Client, settings: Any
) -> None:
    person = make_user()
    client.force_login(person)
    client.post(reverse("workspace-new"), {"name": "  Glaze   lab "})
    made = Workspace.objects.get()
    assert made.name == "Glaze lab"
    assert of(made, person).role == Role.OWNER
    assert client.get(reverse("chat")).context["workspace"] == made
    settings.WORKSPACES_BY_ANYBODY = False
    assert client.post(reverse("workspace-new"), {"name": "Second"}).status_code == 403
    person.is_staff = True
    person.save()
    assert client.post(reverse("workspace-new"), {"name": "Second"}).status_code == 302


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\x00b"])
def test_a_workspace_needs_a_proper_name(
    client: Client, team: Workspace, owner: User, name: str
) -> None:
    client.force_login(owner)
    assert client.post(reverse("workspace-new"), {"name": name}).status_code == 200
    client.post(reverse("workspace-name"), {"name": name})
    assert list(Workspace.objects.values_list("name", flat=True)) == [team.name]


def test_a_workspace_is_renamed_and_keeps_its_slug(
    client: Client, team: Workspace, owner: User
) -> None:
    client.force_login(owner)
    slug = team.slug
    client.post(reverse("workspace-name"), {"name": "Forno"})
    team.refresh_from_db()
    assert (team.name, team.slug) == ("Forno", slug)
    assert AuditEntry.objects.get(action=AuditAction.WORKSPACE_RENAMED).target == "Forno"


def test_a_workspace_goes_only_when_its_name_is_typed(
    client: Client, team: Workspace, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    client.force_login(owner)
    upload(team, owner, "a.md", "# A\n\nThe kiln is hot.\n")
    file = DocumentVersion.objects.get().file
    page = client.post(reverse("workspace-delete"), {"name": team.name.lower() + "x"})
    assert "Nothing was deleted" in page.content.decode()
    assert Workspace.objects.filter(pk=team.pk).exists()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("workspace-delete"), {"name": team.name})
    assert not Workspace.objects.filter(pk=team.pk).exists()
    assert not Document.objects.exists()
    assert not file.storage.exists(str(file.name))
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [team.schema_name])
        assert cursor.fetchone() is None
    entry = AuditEntry.objects.get(action=AuditAction.WORKSPACE_DELETED)
    assert (entry.actor_id, entry.target) == (owner.pk, team.name)


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_two_owners_who_leave_at_once_do_not_leave_the_workspace_alone() -> None:
    first = make_user()
    team = make_workspace(first)
    second = make_member(team, Role.OWNER)
    start, refused = threading.Barrier(2), []

    def go(user: User) -> None:
        start.wait()
        try:
            membership_remove(membership=of(team, user), actor=user)
        except LastOwner:
            refused.append(user)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=go, args=[user]) for user in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert team.memberships.count() == 1
    live.workspaces_drop()
