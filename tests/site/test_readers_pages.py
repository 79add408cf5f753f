"""Saying who may read a document, and groups, on the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from corpus.audience import audience_of
from corpus.models import Document
from teams.groups import group_create, group_members_set
from teams.models import Group, Membership, Role, User
from teams.visibility import Visibility
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.site.paged import NOTE, page_of
from tests.site.roads import signed_in

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def crew(team: Workspace, owner: User) -> Group:
    group = group_create(workspace=team, user=owner, name="Kiln crew")
    group_members_set(group=group, user=owner, members=[team.memberships.get().pk])
    return group


def test_an_upload_says_who_may_read_it(member: Client, team: Workspace, crew: Group) -> None:
    for name, said in (
        ("all.md", {}),
        ("mine.md", {"visibility": "uploader"}),
        ("crew.md", {"visibility": "groups", "groups": [str(crew.pk)]}),
    ):
        file = SimpleUploadedFile(name, f"# {name}\n\nThe text of {name}.\n".encode())
        member.post(reverse("corpus-upload"), {"files": file, **said})
    held = {row.name: audience_of(row) for row in Document.objects.all()}
    assert {name: held[name].visibility for name in held} == {
        "all.md": "workspace",
        "mine.md": "uploader",
        "crew.md": "groups",
    }
    assert held["crew.md"].groups == {crew.pk}
    shown = page_of(member, "corpus")
    assert "only you" in shown
    assert "for groups" in shown


def test_an_upload_for_a_group_of_others_is_refused_with_the_reason(
    team: Workspace, crew: Group
) -> None:
    client = signed_in(make_member(team, Role.CONTRIBUTOR))
    assert crew.name not in page_of(client, "corpus")
    file = SimpleUploadedFile("crew.md", b"# Crew\n\nA text for the crew.\n")
    said = {"files": file, "visibility": "groups", "groups": [str(crew.pk)]}
    reply = client.post(reverse("corpus-upload"), said, headers={"accept": "application/json"})
    assert reply.status_code == 400
    assert "not here any more" in reply.json()["files"][0]["said"]
    assert not Document.objects.exists()


def test_its_uploader_changes_who_reads_a_document_and_others_do_not(
    team: Workspace, owner: User, crew: Group
) -> None:
    uploader, other = make_member(team, Role.CONTRIBUTOR), make_member(team, Role.CONTRIBUTOR)
    reader, stranger = make_member(team), make_user()
    make_workspace(stranger)
    document = ingest(team, uploader, "notes.md", NOTE)
    path = reverse("corpus-readers", args=[document.pk])
    for person, status in ((reader, 403), (other, 403), (stranger, 404)):
        client = signed_in(person)
        assert client.post(path, {"visibility": "uploader"}).status_code == status
        if person is not stranger:
            assert path not in page_of(client, "corpus-document", document.pk)
    mine = signed_in(uploader)
    assert path in page_of(mine, "corpus-document", document.pk)
    assert mine.post(path, {"visibility": "uploader"}).status_code == 302
    document.refresh_from_db()
    assert document.visibility == Visibility.UPLOADER
    page_of(signed_in(owner), "corpus-document", document.pk, status=404)
    assert "Only the person who uploaded it" in page_of(mine, "corpus-document", document.pk)


def test_who_gives_a_document_away_is_led_to_the_list(
    team: Workspace, owner: User, member: Client
) -> None:
    uploader = make_member(team, Role.CONTRIBUTOR)
    document = ingest(team, uploader, "notes.md", NOTE)
    path = reverse("corpus-readers", args=[document.pk])
    assert member.post(path, {"visibility": "uploader"})["Location"] == reverse("corpus")


def test_nonsense_changes_nothing_and_is_told(member: Client, team: Workspace, owner: User) -> None:
    document = ingest(team, owner, "notes.md", NOTE)
    path = reverse("corpus-readers", args=[document.pk])
    for said in (
        {"visibility": "everyone"},
        {"visibility": "groups"},
        {"visibility": "groups", "groups": "x"},
        {"visibility": "groups", "groups": "999999"},
        {"visibility": "groups", "groups": "\x00"},
    ):
        reply = member.post(path, said, follow=True)
        assert reply.status_code == 200
        assert "message error" in reply.content.decode()
    document.refresh_from_db()
    assert document.visibility == Visibility.WORKSPACE


def test_groups_are_made_renamed_filled_and_deleted_by_who_curates(
    member: Client, team: Workspace
) -> None:
    one = make_member(team)
    assert "No group yet" in page_of(member, "groups")
    member.post(reverse("groups"), {"name": "  Kiln   crew "})
    group = Group.objects.get()
    assert group.name == "Kiln crew"
    keys = [Membership.objects.get(user=one).pk]
    member.post(reverse("group", args=[group.pk]), {"name": "Night crew", "members": keys})
    group.refresh_from_db()
    assert (group.name, [row.user for row in group.members.all()]) == ("Night crew", [one])
    assert "checked" in page_of(member, "group", group.pk)
    member.post(reverse("groups"), {"name": "Night crew"})
    member.post(reverse("groups"), {"name": " "})
    member.post(reverse("groups"), {"name": "x" * 200})
    assert Group.objects.count() == 1
    member.post(reverse("group-delete", args=[group.pk]))
    assert not Group.objects.exists()


def test_groups_are_hidden_from_all_others(team: Workspace, crew: Group) -> None:
    stranger = make_user()
    make_workspace(stranger)
    names: tuple[tuple[str, list[int]], ...] = (
        ("groups", []),
        ("group", [crew.pk]),
        ("group-delete", [crew.pk]),
    )
    for person in (make_member(team), make_member(team, Role.CONTRIBUTOR)):
        client = signed_in(person)
        for name, key in names:
            assert client.post(reverse(name, args=key), {"name": "x"}).status_code == 403
    client = signed_in(stranger)
    for name, key in names[1:]:
        assert client.post(reverse(name, args=key), {"name": "x"}).status_code == 404
    assert crew.name not in page_of(client, "groups")
    crew.refresh_from_db()
    assert crew.name == "Kiln crew"


def test_E7_an_owner_says_on_the_members_page_who_downloads(
    member: Client, team: Workspace, owner: User
) -> None:
    reader = make_member(team)
    document = ingest(team, owner, "notes.md", NOTE)
    key = Membership.objects.get(user=reader).pk
    client, path = signed_in(reader), reverse("corpus-download", args=[document.pk])
    assert client.get(path).status_code == 200
    member.post(reverse("member-download", args=[key]), {"allowed": "0"})
    assert client.get(path).status_code == 403
    assert "downloads nothing" in page_of(member, "members")
    assert client.post(reverse("member-download", args=[key]), {"allowed": "1"}).status_code == 403
    member.post(reverse("member-download", args=[key]), {"allowed": "1"})
    assert client.get(path).status_code == 200
