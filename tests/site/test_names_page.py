"""The page of names: who sees it, what it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from corpus.models import EntityAlias
from teams.models import Role
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

ONE = "# Cases\n\nIn the spring the detective Holmes works for Lestrade Tools.\n"
TWO = "# People\n\nSherlock Holmes reports to Irene Adler.\n"


def proposal(team: Workspace, owner: User) -> EntityAlias:
    ingest(team, owner, "one.md", ONE)
    ingest(team, owner, "two.md", TWO)
    return EntityAlias.objects.get()


def test_a_curator_merges_and_separates_and_who_and_when_is_kept(
    client: Client, owner: User, team: Workspace
) -> None:
    alias = proposal(team, owner)
    curator = make_member(team, Role.CURATOR)
    client.force_login(curator)
    shown = client.get(reverse("corpus-names")).content.decode()
    assert "Holmes = Sherlock Holmes" in shown
    assert "Lestrade Tools" in shown
    decide = reverse("corpus-name-decide", args=[alias.pk])
    for state in ("merged", "undone"):
        client.post(decide, {"state": state})
        alias.refresh_from_db()
        assert (alias.state, alias.decided_by) == (state, curator)
        assert alias.decided_at is not None
    reply = client.post(decide, {"state": "rejected"}, follow=True)
    assert "decided meanwhile" in reply.content.decode()
    client.post(decide, {"state": "nonsense"})
    alias.refresh_from_db()
    assert alias.state == "undone"
    filtered = client.get(reverse("corpus-names"), {"state": "merged"}).content.decode()
    assert "No names fit these filters" in filtered


def test_readers_strangers_and_the_signed_out_see_and_decide_nothing(
    client: Client, owner: User, team: Workspace
) -> None:
    alias = proposal(team, owner)
    page, decide = reverse("corpus-names"), reverse("corpus-name-decide", args=[alias.pk])
    assert client.get(page).status_code in {302, 404}
    assert client.post(decide, {"state": "merged"}).status_code in {302, 404}
    client.force_login(make_member(team, Role.READER))
    assert client.get(page).status_code == 403
    assert client.post(decide, {"state": "merged"}).status_code == 403
    stranger = make_user()
    make_workspace(stranger)
    client.force_login(stranger)
    assert "Holmes" not in client.get(page).content.decode()
    assert client.post(decide, {"state": "merged"}).status_code == 404
    alias.refresh_from_db()
    assert alias.state == "proposed"
