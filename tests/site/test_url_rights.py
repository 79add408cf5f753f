"""Every URL of the project, as nobody, as a stranger and as a reader: it answers as its line says."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from django.http import HttpResponse
from django.urls import path, reverse

from corpus.models import Document
from polyrag_site.url_rights import ASKED
from teams import checks
from teams.access import Right
from teams.checks import Address, Ask, addresses, asked_of, urls_declared
from teams.models import ROLE_RIGHTS, Invitation, Membership, Role, Workspace
from telemetry.models import Conversation, RunState, Trace
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import User

pytestmark = pytest.mark.django_db
NOT_THERE, REFUSED = {404, 405}, {403, 404, 405}


@dataclass(frozen=True, slots=True)
class Scene:
    owner: User
    workspace: Workspace
    keys: dict[str, Any]

    def rows(self) -> list[Any]:
        """What must stand as it was after everybody tried everything."""
        return [
            list(Document.objects.values_list("pk", "trashed_at", "current")),
            list(Conversation.objects.values_list("pk", "title", "shared")),
            list(Trace.objects.values_list("pk", "state")),
            list(Membership.objects.filter(workspace=self.workspace).values_list("user", "role")),
            list(Invitation.objects.values_list("pk", "revoked_at")),
            list(Workspace.objects.filter(pk=self.workspace.pk).values_list("name")),
        ]


@pytest.fixture
def scene() -> Scene:
    """A team with one of everything; the keys are those of its owner's things."""
    owner = make_user()
    team = make_workspace(owner)
    document = ingest(team, owner, "crates.csv", "Day;Crates\nMonday;12\nTuesday;15\nFriday;9\n")
    talk = Conversation.objects.create(workspace=team, user=owner, title="Kilns")
    trace = Trace.objects.create(
        workspace=team, user=owner, question="How hot?", state=RunState.DONE, conversation=talk
    )
    table = document.tables.first() if hasattr(document, "tables") else None
    keys = {
        "document_id": document.pk,
        "table_id": table.pk if table else uuid.uuid4(),
        "talk_id": talk.pk,
        "trace_id": trace.pk,
        "membership_id": team.memberships.get().pk,
    }
    return Scene(owner, team, keys)


def address(one: Address, keys: dict[str, Any]) -> str:
    """A path of this URL, with the scene's keys where it has any and guessed ones elsewhere."""
    guesses = {"int": 1, "uuid": uuid.uuid4()}
    found = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"<str:\1>", one.route)
    found = found.replace("^", "").replace("$", "").replace("\\", "")

    def value(match: re.Match[str]) -> str:
        kind, name = match.groups()
        return str(keys.get(name, guesses.get(kind, "x")))

    return "/" + re.sub(r"<(?:(\w+):)?(\w+)>", value, found)


def listed(*kinds: Any) -> list[Address]:
    """The stream of a run is left to `test_run_roads`: it reads beside this test's transaction."""
    known = [one for one in addresses() if one.name != "chat-events"]
    return [one for one in known if asked_of(one, ASKED) in kinds]


def tried(client: Client, where: str) -> list[HttpResponse]:
    return [client.get(where), client.post(where)]  # type: ignore[list-item]


def test_every_url_is_declared_and_every_line_has_its_url() -> None:
    assert urls_declared(None) == []
    assert len(list(addresses())) > 90


def test_a_url_that_says_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    known = list(addresses())
    pattern = path("secret/", lambda request: HttpResponse(), name="secret")
    extra = Address("secret", "secret/", pattern)
    monkeypatch.setattr(checks, "addresses", lambda: [*known, extra])
    (error,) = urls_declared(None)
    assert error.id == "polyrag.E010"
    assert "secret/" in error.msg


def test_a_line_without_a_url_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {**ASKED, "gone": Right.SEE, "gone:": Ask.STAFF}
    monkeypatch.setattr(checks, "url_rights", lambda: table)
    assert [error.id for error in urls_declared(None)] == ["polyrag.E011", "polyrag.E011"]


def test_nobody_is_led_to_the_sign_in_from_all_that_is_not_public(
    client: Client, scene: Scene
) -> None:
    before, login = scene.rows(), reverse("login")
    wrong = []
    for one in listed(Ask.SIGNED_IN, Ask.STAFF, *Right):
        where = address(one, scene.keys)
        for reply in tried(client, where):
            # The admin leads to its own door first, which leads on to ours.
            doors = (login, reverse("admin:login")) if one.name.startswith("admin:") else (login,)
            if reply.status_code != 302 or not reply["Location"].startswith(doors):
                wrong.append((one.name, reply.status_code))
    assert wrong == [], wrong
    assert scene.rows() == before


def test_what_is_public_answers_to_nobody_without_an_error(client: Client, scene: Scene) -> None:
    before = scene.rows()
    wrong = [
        (one.name, reply.status_code)
        for one in listed(Ask.PUBLIC)
        for reply in tried(client, address(one, scene.keys))
        if reply.status_code >= 500 or scene.workspace.name in reply.content.decode()
    ]
    assert wrong == []
    assert scene.rows() == before


def test_a_token_s_url_refuses_who_shows_none(client: Client, scene: Scene) -> None:
    for one in listed(Ask.TOKEN):
        for reply in tried(client, address(one, scene.keys)):
            assert reply.status_code in {302, 401, 403, 404, 405}, one.name


def test_a_stranger_finds_nothing_under_the_keys_of_others(client: Client, scene: Scene) -> None:
    """A person who may do everything in a workspace of their own, and knows every key of ours."""
    client.force_login(make_workspace().memberships.get().user)
    before, wrong = scene.rows(), []
    for one in listed(*Right, Ask.SIGNED_IN):
        if "<" in one.route:
            for reply in tried(client, address(one, scene.keys)):
                # Second factors are changed only after the password; that answer knows no key yet.
                asked_again = one.name.startswith("mfa_") and reply.status_code == 302
                if reply.status_code not in NOT_THERE and not asked_again:
                    wrong.append((one.name, reply.status_code))
    assert wrong == []
    assert scene.rows() == before


@pytest.mark.parametrize("role", [Role.READER, Role.CONTRIBUTOR, Role.CURATOR, Role.AUDITOR])
def test_a_member_is_refused_what_their_role_does_not_give(
    client: Client, scene: Scene, role: str
) -> None:
    client.force_login(make_member(scene.workspace, role))
    rows, wrong = scene.rows(), []
    for one in listed(*(set(Right) - ROLE_RIGHTS[role])):
        for reply in tried(client, address(one, scene.keys)):
            if reply.status_code not in REFUSED:
                wrong.append((one.name, reply.status_code))
    assert wrong == []
    assert scene.rows() == rows


def test_a_reader_is_not_refused_what_reading_gives(client: Client, scene: Scene) -> None:
    reader = make_member(scene.workspace)
    client.force_login(reader)
    wrong = [
        (one.name, reply.status_code)
        for one in listed(Right.SEE, Right.ASK, Ask.SIGNED_IN)
        for reply in [client.get(address(one, scene.keys))]
        if reply.status_code == 403 or reply.status_code >= 500
    ]
    assert wrong == []


def test_who_curates_and_audits_nothing_sees_nothing_of_the_admin(
    client: Client, scene: Scene
) -> None:
    client.force_login(make_member(scene.workspace))
    for one in listed(Ask.STAFF):
        reply = client.get(address(one, scene.keys))
        assert reply.status_code in {302, 403, 404}, one.name
        assert "model-" not in reply.content.decode()
