"""Invitations by link: by owners alone, once, for a time, and able to be taken back."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from teams.adapters import AccountAdapter
from teams.audit_models import AuditAction, AuditEntry
from teams.errors import InvitationRefused
from teams.invitations import invitation_accept, invitation_create, invitation_revoke
from teams.models import Invitation, Membership, Role, User
from tests.factories import PASSWORD, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

    from teams.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def team(owner: User) -> Workspace:
    return make_workspace(owner)


def invited(team: Workspace, owner: User, role: str = Role.READER, **more: Any) -> str:
    return invitation_create(workspace=team, user=owner, role=role, days=7, **more)[1]


def opened(client: Client, token: str) -> Any:
    return client.get(reverse("invitation", args=[token]))


SIGN_UP = {"username": "rui", "password1": PASSWORD, "password2": PASSWORD}


def test_the_database_holds_no_token(team: Workspace, owner: User) -> None:
    token = invited(team, owner)
    row = Invitation.objects.values().get()
    assert token not in str(row)
    assert token not in str(list(AuditEntry.objects.values()))


def test_a_new_person_signs_up_and_sees_the_workspace(
    client: Client, team: Workspace, owner: User
) -> None:
    token = invited(team, owner, Role.CONTRIBUTOR)
    page = opened(client, token).content.decode()
    assert team.name in page
    assert "Contributor" in page
    client.post(reverse("account_signup"), SIGN_UP)
    rui = User.objects.get(username="rui")
    assert Membership.objects.get(user=rui).role == Role.CONTRIBUTOR
    assert client.get(reverse("chat")).context["workspace"] == team
    held = Invitation.objects.get()
    assert (held.state, held.accepted_by) == (Invitation.State.ACCEPTED, rui)
    entry = AuditEntry.objects.get(action=AuditAction.JOINED)
    assert (entry.actor_id, entry.workspace_id) == (rui.pk, team.pk)


def test_a_person_with_an_account_joins_with_a_click(
    client: Client, team: Workspace, owner: User
) -> None:
    person = make_member(make_workspace(), Role.OWNER)
    token = invited(team, owner)
    client.force_login(person)
    assert not team.memberships.filter(user=person).exists()
    assert opened(client, token).status_code == 200
    assert not team.memberships.filter(user=person).exists()  # Opening a link changes nothing.
    client.post(reverse("invitation", args=[token]))
    assert team.memberships.get(user=person).role == Role.READER
    assert client.get(reverse("chat")).context["workspace"] == team


def test_signing_in_leads_back_to_the_link(client: Client, team: Workspace, owner: User) -> None:
    person, token = make_user(), invited(team, owner)
    here = reverse("invitation", args=[token])
    assert f"?next={here}" in opened(client, token).content.decode()
    form = {"username": person.username, "password": PASSWORD, "next": here}
    assert client.post(reverse("login"), form)["Location"] == here


def test_a_link_works_once(client: Client, team: Workspace, owner: User) -> None:
    token = invited(team, owner)
    invitation_accept(token=token, user=make_user())
    late = make_user()
    with pytest.raises(InvitationRefused):
        invitation_accept(token=token, user=late)
    assert not Membership.objects.filter(user=late).exists()
    reply = opened(client, token)
    assert reply.status_code == 410
    assert "used already" in reply.content.decode()
    assert team.name not in reply.content.decode()


def test_a_link_that_was_taken_while_the_form_was_filled_in_makes_no_account(
    client: Client, team: Workspace, owner: User
) -> None:
    token = invited(team, owner)
    opened(client, token)
    client.get(reverse("account_signup"))
    invitation_accept(token=token, user=make_user())
    page = client.post(reverse("account_signup"), SIGN_UP)
    assert "Accounts come by invitation" in page.content.decode()
    assert not User.objects.filter(username="rui").exists()


def test_two_who_send_the_form_at_once_make_one_account(
    client: Client, team: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = invited(team, owner)
    opened(client, token)
    invitation_accept(token=token, user=make_user())
    # The form was let through just before the other one took the place.
    monkeypatch.setattr(AccountAdapter, "is_open_for_signup", lambda self, request: True)
    reply = client.post(reverse("account_signup"), SIGN_UP)
    assert reply["Location"] == reverse("invitation", args=[token])
    assert not User.objects.filter(username="rui").exists()


def test_an_old_link_says_that_it_is_too_old(client: Client, team: Workspace, owner: User) -> None:
    token = invited(team, owner)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    reply = opened(client, token)
    assert reply.status_code == 410
    assert "too old" in reply.content.decode()
    with pytest.raises(InvitationRefused):
        invitation_accept(token=token, user=make_user())


def test_a_link_that_was_taken_back_says_so(client: Client, team: Workspace, owner: User) -> None:
    client.force_login(owner)
    token = invited(team, owner)
    client.post(reverse("uninvite", args=[Invitation.objects.get().pk]))
    reply = opened(client, token)
    assert reply.status_code == 410
    assert "taken back" in reply.content.decode()
    assert client.post(reverse("invitation", args=[token])).status_code == 410
    assert AuditEntry.objects.filter(action=AuditAction.UNINVITED, actor=owner).exists()


@pytest.mark.parametrize("token", ["x", "..%2F", "a" * 3000, "%00"])
def test_a_guessed_link_is_not_there(client: Client, token: str) -> None:
    reply = client.get(f"/accounts/invitation/{token}/")
    assert reply.status_code == 404


def test_a_member_who_opens_a_link_keeps_their_role_and_leaves_it_open(
    team: Workspace, owner: User
) -> None:
    token = invited(team, owner)
    invitation_accept(token=token, user=owner)
    assert team.memberships.get(user=owner).role == Role.OWNER
    assert Invitation.objects.get().state == Invitation.State.OPEN


def test_the_link_is_shown_once(client: Client, team: Workspace, owner: User) -> None:
    client.force_login(owner)
    form = {"role": Role.CURATOR, "days": "7", "email": ""}
    page = client.post(reverse("member-invite"), form, follow=True)
    link = str(page.context["link"])
    assert link in page.content.decode()
    assert opened(client, link.rstrip("/").rsplit("/", 1)[-1]).status_code == 200
    assert link not in client.get(reverse("members")).content.decode()


def test_the_link_is_sent_where_mail_is_set_up(
    client: Client, team: Workspace, owner: User, settings: Any
) -> None:
    client.force_login(owner)
    form = {"role": Role.READER, "days": "1", "email": "rui@example.org"}
    page = client.post(reverse("member-invite"), form, follow=True)
    assert mail.outbox == []
    assert "No message was sent" in page.content.decode()
    settings.MAIL_CONFIGURED = True
    page = client.post(reverse("member-invite"), form, follow=True)
    assert mail.outbox[0].to == ["rui@example.org"]
    assert str(page.context["link"]) in mail.outbox[0].body


@pytest.mark.parametrize(
    "form", [{"role": "god", "days": "7"}, {"role": Role.READER, "days": "9999"}, {}]
)
def test_what_the_form_does_not_offer_makes_no_link(
    client: Client, team: Workspace, owner: User, form: dict[str, str]
) -> None:
    client.force_login(owner)
    client.post(reverse("member-invite"), form)
    assert not Invitation.objects.exists()


def test_only_owners_of_this_workspace_invite_and_take_back(
    client: Client, team: Workspace, owner: User
) -> None:
    invited(team, owner)
    held = Invitation.objects.get()
    form = {"role": Role.OWNER, "days": "7"}
    stranger = make_workspace().memberships.get().user
    insiders = [make_member(team, role) for role in Role.values if role != Role.OWNER]
    for person in insiders:
        client.force_login(person)
        assert client.post(reverse("member-invite"), form).status_code == 403
        assert client.post(reverse("uninvite", args=[held.pk])).status_code == 403
        assert "Invitations" not in client.get(reverse("members")).content.decode()
        with pytest.raises(PermissionDenied):
            invitation_create(workspace=team, user=person, role=Role.OWNER, days=7)
        with pytest.raises(PermissionDenied):
            invitation_revoke(invitation=held, user=person)
    client.force_login(stranger)
    assert client.post(reverse("uninvite", args=[held.pk])).status_code == 404
    client.logout()
    for path in (reverse("member-invite"), reverse("uninvite", args=[held.pk])):
        assert client.post(path, form)["Location"].startswith(reverse("login"))
    assert Invitation.objects.get().state == Invitation.State.OPEN
    assert Invitation.objects.count() == 1
