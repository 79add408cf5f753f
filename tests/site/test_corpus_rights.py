"""What each person may see and do on the corpus pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from corpus.models import Document
from corpus.services import document_trash
from teams.models import Role
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.site.paged import CRATES, NOTE, NOWHERE, page_of, paged, reads_of

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


WRITES = ("discard", "cancel", "retry", "reread", "restore", "delete")


def test_E3_a_stranger_finds_nothing_and_changes_nothing(
    client: Client, owner: User, team: Workspace
) -> None:
    stranger = make_user()
    make_workspace(stranger)
    document = paged(team, owner)
    crates = ingest(team, owner, "crates.csv", CRATES)
    client.force_login(stranger)
    for path in (*reads_of(document), *reads_of(crates, crates.tables.get())):
        assert client.get(path).status_code == 404
    for name in WRITES:
        assert client.post(reverse(f"corpus-{name}", args=[document.pk])).status_code == 404
    document_trash(document=document, user=owner)
    for name in ("restore", "delete"):
        assert client.post(reverse(f"corpus-{name}", args=[document.pk])).status_code == 404
    assert "gate.pdf" not in page_of(client, "corpus-trash")
    client.post(reverse("corpus-trash-empty"))
    assert Document.objects.filter(pk=document.pk).exists()
    listed = client.get(reverse("corpus"), {"trashed": str(document.pk), "inside": str(crates.pk)})
    assert "gate.pdf" not in listed.content.decode()
    assert "crates.csv" not in listed.content.decode()


def test_a_reader_sees_pages_and_may_change_nothing(
    client: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner)
    crates = ingest(team, owner, "crates.csv", CRATES)
    client.force_login(make_member(team, Role.READER))
    for path in reads_of(document):
        assert client.get(path).status_code in {200, 302}
    assert client.get(reads_of(crates, crates.tables.get())[-1]).status_code == 200
    for name in WRITES:
        reply = client.post(reverse(f"corpus-{name}", args=[document.pk]))
        assert reply.status_code in {403, 404}
    for name in ("corpus-trash-empty", "corpus-reindex", "corpus-upload"):
        assert client.post(reverse(name)).status_code == 403
    assert client.get(reverse("corpus-trash")).status_code == 403
    shown = page_of(client, "corpus") + page_of(client, "corpus-document", crates.pk)
    for word in ("Move to trash", "Read again", "Try again", reverse("corpus-trash")):
        assert word not in shown
    assert Document.objects.filter(trashed_at=None).count() == 2


def test_a_contributor_throws_away_and_takes_back_but_does_not_empty_the_trash(
    client: Client, owner: User, team: Workspace
) -> None:
    document = ingest(team, owner, "notes.md", NOTE)
    client.force_login(make_member(team, Role.CONTRIBUTOR))
    client.post(reverse("corpus-discard", args=[document.pk]))
    assert "notes.md" in page_of(client, "corpus-trash")
    assert "Empty the trash" not in page_of(client, "corpus-trash")
    for name in ("corpus-trash-empty", "corpus-reindex"):
        assert client.post(reverse(name)).status_code == 403
    client.post(reverse("corpus-restore", args=[document.pk]))
    document.refresh_from_db()
    assert document.trashed_at is None


def test_nobody_signed_in_is_sent_to_the_sign_in(client: Client) -> None:
    for name, key in (
        ("corpus-trash", []),
        ("corpus-page", [NOWHERE, 1]),
        ("corpus-picture", [NOWHERE, 1]),
        ("corpus-page-choose", [NOWHERE]),
        ("corpus-table", [NOWHERE, NOWHERE]),
    ):
        assert client.get(reverse(name, args=key)).status_code == 302
    for name in WRITES:
        assert client.post(reverse(f"corpus-{name}", args=[NOWHERE])).status_code == 302


def test_what_changes_something_is_asked_for_by_post(
    member: Client, owner: User, team: Workspace
) -> None:
    document = paged(team, owner)
    for name in WRITES:
        assert member.get(reverse(f"corpus-{name}", args=[document.pk])).status_code == 405
    for name in ("corpus-trash-empty", "corpus-reindex"):
        assert member.get(reverse(name)).status_code == 405


def test_a_table_is_only_found_under_its_own_document(
    member: Client, owner: User, team: Workspace
) -> None:
    crates = ingest(team, owner, "crates.csv", CRATES)
    other = ingest(team, owner, "notes.md", NOTE)
    page_of(member, "corpus-table", other.pk, crates.tables.get().pk, status=404)
