"""Signing in through another provider: off unless set, by invitation, and never by an address alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from polyrag_site import sign_in
from teams.audit_models import AuditAction, AuditEntry
from teams.invitations import invitation_create
from teams.models import Membership, Role, User
from tests.factories import PASSWORD, make_user, make_workspace
from tests.oidc_server import CODE, provider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpResponse
    from django.test import Client

pytestmark = pytest.mark.django_db
PERSON = {"sub": "u-1", "preferred_username": "ines", "email": "ines@example.org"}


@pytest.fixture
def issuer(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with provider(PERSON) as address:
        monkeypatch.setenv("OIDC_ISSUER", address)
        monkeypatch.setenv("OIDC_CLIENT_ID", "polyrag")
        monkeypatch.setenv("OIDC_CLIENT_SECRET", "secret")
        monkeypatch.setenv("OIDC_NAME", "Example ID")
        settings.SOCIALACCOUNT_PROVIDERS = sign_in.oidc()
        yield address


def there_and_back(client: Client, code: str = CODE, process: str = "login") -> HttpResponse:
    """Go to the provider, as the button does, and come back with its code."""
    login = reverse("openid_connect_login", args=[sign_in.OIDC_KEY])
    sent = client.post(f"{login}?process={process}")
    state = parse_qs(urlsplit(sent["Location"]).query)["state"][0]
    back = reverse("openid_connect_callback", args=[sign_in.OIDC_KEY])
    return client.get(back, {"code": code, "state": state}, follow=True)  # type: ignore[return-value]


def test_nothing_is_offered_where_nothing_is_set(client: Client) -> None:
    assert "Sign in with" not in client.get(reverse("login")).content.decode().replace(
        "Sign in with a passkey", ""
    )
    login = reverse("openid_connect_login", args=[sign_in.OIDC_KEY])
    assert client.post(login).status_code == 404


def test_half_a_configuration_is_named_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OIDC_ISSUER", "https://id.example.org")
    with pytest.raises(ImproperlyConfigured, match="OIDC_CLIENT_ID, OIDC_CLIENT_SECRET"):
        sign_in.oidc()


def test_a_stranger_of_the_provider_gets_no_account(client: Client, issuer: str) -> None:
    assert "Sign in with Example ID" in client.get(reverse("login")).content.decode()
    page = there_and_back(client)
    assert "Accounts come by invitation" in page.content.decode()
    assert not User.objects.exists()


def test_the_same_address_does_not_open_an_account_that_was_here(
    client: Client, issuer: str
) -> None:
    mine = make_user("ines")
    mine.email = str(PERSON["email"])
    mine.save()
    there_and_back(client)
    assert client.get(reverse("account")).status_code == 302
    assert not SocialAccount.objects.exists()


def test_an_invited_person_joins_and_signs_in_again(client: Client, issuer: str) -> None:
    workspace = make_workspace()
    owner = workspace.memberships.get().user
    _, token = invitation_create(workspace=workspace, user=owner, role=Role.CONTRIBUTOR, days=1)
    client.get(reverse("invitation", args=[token]))
    form = there_and_back(client)
    assert "ines" in form.content.decode()
    client.post(reverse("socialaccount_signup"), {"username": "ines"})
    ines = User.objects.get(username="ines")
    assert not ines.has_usable_password()
    assert Membership.objects.get(user=ines, workspace=workspace).role == Role.CONTRIBUTOR
    assert client.get(reverse("chat")).status_code == 200

    client.post(reverse("logout"))
    there_and_back(client)
    assert client.get(reverse("chat")).status_code == 200
    signed = AuditEntry.objects.filter(action=AuditAction.SIGNED_IN, actor=ines)
    assert signed.count() == 2


def test_a_code_that_the_provider_does_not_know_lets_nobody_in(client: Client, issuer: str) -> None:
    page = there_and_back(client, code="forged")
    assert page.status_code == 401
    assert client.get(reverse("account")).status_code == 302
    assert 'class="top"' in page.content.decode()


def test_a_person_connects_the_account_that_they_have(client: Client, issuer: str) -> None:
    mine = make_user()
    client.force_login(mine)
    there_and_back(client, process="connect")
    assert not SocialAccount.objects.exists()  # The password is asked for first.
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    there_and_back(client, process="connect")
    assert SocialAccount.objects.get(user=mine).uid == "u-1"
    client.post(reverse("logout"))
    there_and_back(client)
    assert client.get(reverse("account")).context["user"] == mine
