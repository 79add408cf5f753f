from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from teams.models import Role
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from corpus.models import Document
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def document(team: Workspace, owner: User) -> Document:
    ingest(team, owner, "other.md", "# Other\n\nNothing to see.\n")
    return ingest(team, owner, "gate.md", "# Gate\n\nThe gate is open.\n")


def tag(client: Client, document: Document, tags: str) -> int:
    status: int = client.post(
        reverse("corpus-tags", args=[document.pk]), {"tags": tags}
    ).status_code
    document.refresh_from_db()
    return status


def test_tags_are_kept_in_one_form_and_lead_to_the_list(
    client: Client, document: Document, owner: User
) -> None:
    client.force_login(owner)
    assert tag(client, document, " RH , Contratos  2026,rh,, ") == 302
    assert document.tags == ["rh", "contratos 2026"]
    page = client.get(reverse("corpus-document", args=[document.pk])).content.decode()
    assert "?tag=contratos%202026" in page
    listed = client.get(reverse("corpus"), {"tag": "RH"}).content.decode()
    assert "gate.md" in listed
    assert "other.md" not in listed
    assert tag(client, document, "") == 302
    assert document.tags == []


@pytest.mark.parametrize(
    "tags", ["x" * 41, ",".join(str(number) for number in range(21)), "a\x00b"]
)
def test_tags_that_cannot_be_kept_are_explained(
    client: Client, document: Document, owner: User, tags: str
) -> None:
    client.force_login(owner)
    assert tag(client, document, tags) == 400
    assert document.tags == []


def test_four_people_and_the_tags_of_a_document(
    client: Client, team: Workspace, document: Document, owner: User
) -> None:
    client.force_login(owner)
    tag(client, document, "hr")
    stranger = make_user()
    make_workspace(stranger)
    client.force_login(make_member(team, Role.READER))
    assert tag(client, document, "mine") == 403
    page = client.get(reverse("corpus-document", args=[document.pk])).content.decode()
    assert "hr" in page
    assert reverse("corpus-tags", args=[document.pk]) not in page
    client.force_login(stranger)
    assert tag(client, document, "mine") == 404
    for sought in ("hr", "never given"):
        listed = client.get(reverse("corpus"), {"tag": sought}).content.decode()
        assert "gate.md" not in listed
        assert "No document fits these filters" in listed
    client.logout()
    assert tag(client, document, "mine") == 302
    assert document.tags == ["hr"]
