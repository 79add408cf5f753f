from __future__ import annotations

import contextvars
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import Document
from teams.access import Right, acting, holds, require, rights_once, workspace_ids
from teams.models import AuditEntry, Membership, Role, ServiceToken, User, Workspace
from teams.services import membership_set
from teams.tokens import Minted, acting_by, token_create, token_found, token_revoke
from telemetry.models import Trace
from tests.factories import make_member, make_user, make_workspace, upload

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.django_db


def mint(
    workspace: Workspace, user: User, scopes: Iterable[str] = ("ask",), days: int = 7
) -> Minted:
    return token_create(workspace=workspace, user=user, name="reports", scopes=scopes, days=days)


def rights_of(minted: Minted) -> set[Right]:
    """What the token opens in its own workspace now."""
    token = ServiceToken.objects.get(pk=minted.token.pk)
    with acting(acting_by(token)):
        return {right for right in Right if holds(token.user, token.workspace, right)}


@pytest.fixture
def team() -> Workspace:
    return make_workspace()


def test_a_token_has_the_scopes_that_were_chosen_and_sight(team: Workspace) -> None:
    owner = make_member(team, Role.OWNER)
    assert rights_of(mint(team, owner, ("upload",))) == {Right.SEE, Right.UPLOAD}
    assert rights_of(mint(team, owner, ())) == {Right.SEE}


def test_nobody_gives_a_token_a_right_that_they_lack(team: Workspace) -> None:
    reader, stranger = make_member(team), make_user()
    for person, scope in ((reader, "upload"), (reader, "manage"), (stranger, "see")):
        with pytest.raises(PermissionDenied):
            mint(team, person, (scope,))
    assert not ServiceToken.objects.exists()


def test_a_token_shrinks_with_its_owner_and_does_not_grow_with_them(team: Workspace) -> None:
    person = make_member(team, Role.CURATOR)
    minted = mint(team, person, ("ask", "curate"))
    membership_set(workspace=team, user=person, role=Role.READER)
    assert rights_of(minted) == {Right.SEE, Right.ASK}
    membership_set(workspace=team, user=person, role=Role.OWNER)
    assert rights_of(minted) == {Right.SEE, Right.ASK, Right.CURATE}
    Membership.objects.filter(user=person).delete()
    assert rights_of(minted) == set()


def test_inside_a_token_nobody_but_its_owner_holds_anything(team: Workspace) -> None:
    owner, other = make_member(team, Role.OWNER), make_member(team, Role.OWNER)
    elsewhere = make_workspace(owner)
    with acting(acting_by(mint(team, owner).token)):
        assert workspace_ids(owner, Right.SEE) == [team.pk]
        assert not holds(owner, elsewhere, Right.SEE)
        assert not workspace_ids(other, Right.SEE)
        assert not workspace_ids(AnonymousUser(), Right.SEE)
        with pytest.raises(PermissionDenied):
            require(owner, team, Right.UPLOAD)
    assert holds(owner, elsewhere, Right.SEE)


def test_rights_read_once_are_not_shared_between_a_person_and_their_token(team: Workspace) -> None:
    owner = make_member(team, Role.OWNER)
    token = acting_by(mint(team, owner, ()).token)
    with rights_once():
        assert holds(owner, team, Right.MANAGE)
        with acting(token):
            assert not holds(owner, team, Right.MANAGE)
            assert holds(owner, team, Right.SEE)


def test_a_token_without_the_audit_scope_sees_its_owners_traces_alone(team: Workspace) -> None:
    auditor, asker = make_member(team, Role.AUDITOR), make_member(team)
    for person in (auditor, asker):
        Trace.objects.create(workspace=team, user=person, question="How many?")
    narrow, wide = mint(team, auditor, ("ask",)).token, mint(team, auditor, ("audit",)).token
    with acting(acting_by(narrow)):
        assert [trace.user for trace in Trace.objects.visible_to(auditor)] == [auditor]
    with acting(acting_by(wide)):
        assert Trace.objects.visible_to(auditor).count() == 2


@pytest.mark.parametrize("how", ["revoked", "expired", "account off", "scope taken"])
def test_what_is_under_way_ends_when_the_token_does(team: Workspace, how: str) -> None:
    person = make_member(team)
    minted = mint(team, person)
    with acting(acting_by(minted.token)):
        assert holds(person, team, Right.ASK)
        rows = ServiceToken.objects.filter(pk=minted.token.pk)
        match how:
            case "revoked":
                rows.update(revoked_at=timezone.now())
            case "expired":
                rows.update(expires_at=timezone.now() - timedelta(seconds=1))
            case "account off":
                User.objects.filter(pk=person.pk).update(is_active=False)
            case _:
                rows.update(scopes=["see"])
        assert not holds(person, team, Right.ASK)
    assert (token_found(minted.secret) is not None) == (how == "scope taken")


def test_the_secret_is_stored_nowhere(team: Workspace) -> None:
    minted = mint(team, make_member(team))
    row = ServiceToken.objects.values().get()
    assert minted.secret.startswith("polyrag_") and len(minted.secret) > 48
    assert minted.secret not in str(row) and row["hint"] == minted.secret[:12]
    assert minted.secret not in str(list(AuditEntry.objects.values()))
    found = token_found(minted.secret)
    assert found is not None and found.pk == minted.token.pk
    for wrong in ("", "polyrag_", minted.secret[:-1], minted.secret[8:], row["digest"], "é\ud800"):
        assert token_found(wrong) is None


def test_a_token_can_neither_make_nor_end_tokens(team: Workspace) -> None:
    owner = make_member(team, Role.OWNER)
    token = mint(team, owner, ("manage",)).token
    with acting(acting_by(token)):
        with pytest.raises(PermissionDenied):
            mint(team, owner)
        with pytest.raises(PermissionDenied):
            token_revoke(token=token, user=owner)


def test_a_copied_context_keeps_the_scope_and_an_empty_one_does_not(team: Workspace) -> None:
    owner = make_member(team, Role.OWNER)
    with acting(acting_by(mint(team, owner, ()).token)):
        copied = contextvars.copy_context().run(holds, owner, team, Right.MANAGE)
        bare = contextvars.Context().run(holds, owner, team, Right.MANAGE)
    assert (copied, bare) == (False, True)


def test_making_and_ending_a_token_is_in_the_audit_log_once(team: Workspace) -> None:
    person = make_member(team)
    token = mint(team, person).token
    assert token_revoke(token=token, user=person)
    assert not token_revoke(token=token, user=person)
    told = AuditEntry.objects.filter(actor=person).values_list("action", "target")
    assert sorted(told) == [("token_created", "reports"), ("token_revoked", "reports")]


def test_what_a_token_does_names_it_in_the_audit_log(team: Workspace) -> None:
    person = make_member(team, Role.CONTRIBUTOR)
    token = mint(team, person, ("upload",)).token
    with acting(acting_by(token)):
        upload(team, person, "a.md", "# A\n\nSome text of a note.")
    entry = AuditEntry.objects.get(action="uploaded")
    assert entry.details["token"] == str(token.pk)


# The middleware, on a page of the corpus that takes tokens for the time of the test.


@pytest.fixture
def opened(settings: Any) -> str:
    settings.TOKEN_PATHS = ["/corpus/status", "/corpus/upload"]
    return reverse("corpus-status")


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def names(client: Client, path: str, **headers: str) -> list[str]:
    reply = client.get(path, headers=headers)
    assert reply.status_code == 200, reply.status_code
    return [row["name"] for row in reply.json()["documents"]]


def test_a_request_with_a_token_reads_what_its_owner_may(
    team: Workspace, opened: str, client: Client
) -> None:
    owner = make_member(team, Role.OWNER)
    upload(team, owner, "ours.md", "# Ours\n\nA note of ours.")
    theirs = make_workspace(owner)
    upload(theirs, owner, "theirs.md", "# Theirs\n\nA note of theirs.")
    minted = mint(team, make_member(team))
    assert names(client, opened, **bearer(minted.secret)) == ["ours.md"]
    assert names(client, opened, **bearer(mint(theirs, owner).secret)) == ["theirs.md"]
    for wrong in ("Bearer nonsense", "Basic abc", "Bearer", f"Token {minted.secret}"):
        assert client.get(opened, headers={"Authorization": wrong}).status_code == 302


def test_a_token_that_opens_nothing_is_not_made_good_by_a_session(
    team: Workspace, opened: str, client: Client
) -> None:
    person = make_member(team)
    client.force_login(person)
    assert client.get(opened).status_code == 200
    assert client.get(opened, headers=bearer("polyrag_wrong")).status_code == 302


def test_a_token_opens_no_page_outside_its_paths(team: Workspace, client: Client) -> None:
    minted = mint(team, make_member(team, Role.OWNER))
    for name in ("chat", "corpus", "corpus-status", "telemetry", "tokens"):
        assert client.get(reverse(name), headers=bearer(minted.secret)).status_code == 302


def test_a_session_needs_the_csrf_token_and_a_service_token_does_not(
    team: Workspace, opened: str
) -> None:
    person = make_member(team, Role.CONTRIBUTOR)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person)
    assert strict.post(reverse("corpus-upload")).status_code == 403
    secret = mint(team, person, ("upload",)).secret
    reply = Client(enforce_csrf_checks=True).post(
        reverse("corpus-upload"), headers={**bearer(secret), "Accept": "application/json"}
    )
    assert reply.status_code == 400  # No file came with it; it was let in.
    assert not Document.objects.exists()


def test_last_use_is_written_at_most_once_a_minute(
    team: Workspace, opened: str, client: Client
) -> None:
    minted = mint(team, make_member(team))

    def used() -> Any:
        names(client, opened, **bearer(minted.secret))
        return ServiceToken.objects.get().last_used_at

    first = used()
    assert first is not None and used() == first
    ServiceToken.objects.update(last_used_at=first - timedelta(seconds=61))
    assert used() > first


# The pages.


def made(client: Client, **more: Any) -> Any:
    return client.post(reverse("token-new"), {"name": "reports", "days": 30, **more})


def test_the_secret_is_shown_once(team: Workspace, client: Client) -> None:
    client.force_login(make_member(team))
    reply = made(client, scopes=["ask"])
    secret = reply.context["minted"].secret
    assert secret in reply.content.decode() and "no-store" in reply["Cache-Control"]
    later = client.get(reverse("tokens")).content.decode()
    assert secret not in later and secret[:12] in later
    assert token_found(secret) is not None


def test_a_wrong_form_says_what_is_wrong_and_makes_nothing(team: Workspace, client: Client) -> None:
    client.force_login(make_member(team))
    for more in ({"name": " "}, {"scopes": ["manage"]}, {"days": "9999"}, {"scopes": ["x\x00"]}):
        reply = made(client, **more)
        assert reply.status_code == 400 and 'class="message error"' in reply.content.decode()
    assert not ServiceToken.objects.exists()


def test_four_people_and_a_token(team: Workspace, client: Client) -> None:
    owner, member, stranger = make_member(team, Role.OWNER), make_member(team), make_user()
    make_workspace(stranger)
    person = make_member(team)
    token = mint(team, person).token
    revoke = reverse("token-revoke", args=[token.pk])

    def seen(who: User | None) -> bool:
        client.logout()
        if who is not None:
            client.force_login(who)
        reply = client.get(reverse("tokens"))
        return reply.status_code == 200 and token.hint in reply.content.decode()

    assert [seen(who) for who in (person, owner, member, stranger, None)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert client.post(revoke).status_code == 302 and ServiceToken.objects.live().exists()
    for who in (member, stranger, make_member(team, Role.AUDITOR)):
        client.force_login(who)
        assert client.post(revoke).status_code == 404
    assert ServiceToken.objects.live().exists()
    client.force_login(owner)
    assert client.post(revoke).status_code == 302
    assert not ServiceToken.objects.live().exists()
