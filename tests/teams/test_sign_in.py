"""Signing in: by user name or address, with a second factor, within limits, and never by open sign-up."""

from __future__ import annotations

import re
from smtplib import SMTPException
from typing import TYPE_CHECKING, Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from cryptography.fernet import InvalidToken
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.base import BaseEmailBackend
from django.urls import reverse

from teams.adapters import SecondFactorAdapter
from teams.audit_models import AuditAction, AuditEntry
from teams.models import User
from tests.factories import PASSWORD, make_user, make_workspace

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db
NEW = "another horse battery"


def signed_in(client: Client, user: User, password: str = PASSWORD) -> Any:
    return client.post(reverse("login"), {"username": user.username, "password": password})


def inside(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def told(user: User) -> list[str]:
    return list(
        AuditEntry.objects.filter(actor=user).order_by("pk").values_list("action", flat=True)
    )


def code(secret: str) -> str:
    counter = next(iter(totp.yield_hotp_counters_from_time()))
    return str(totp.format_hotp_value(totp.hotp_value(secret, counter)))


def with_app(client: Client, user: User) -> str:
    """Turn the authenticator app on through its page, the password given again; gives the secret."""
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.get(reverse("mfa_activate_totp"))
    secret = str(page.context["form"].secret)
    reply = client.post(reverse("mfa_activate_totp"), {"code": code(secret)})
    assert reply.status_code == 302, reply.context["form"].errors
    return secret


def test_the_form_takes_the_user_name_or_the_address(client: Client) -> None:
    user = make_user()
    user.email = "ana@example.org"
    user.save()
    assert signed_in(client, user).status_code == 302
    assert inside(client)
    client.post(reverse("logout"))
    assert not inside(client)
    client.post(reverse("login"), {"username": "ana@example.org", "password": PASSWORD})
    assert inside(client)


def test_a_sign_in_leads_where_the_person_wanted_to_go(client: Client) -> None:
    user = make_user()
    make_workspace(user)
    reply = client.post(
        reverse("login"),
        {"username": user.username, "password": PASSWORD, "next": reverse("corpus")},
    )
    assert reply["Location"] == reverse("corpus")


def test_nobody_signs_up_without_an_invitation(client: Client) -> None:
    form = {"username": "mallory", "password1": NEW, "password2": NEW}
    for name in ("account_signup", "socialaccount_signup"):
        client.post(reverse(name), form)
    page = client.get(reverse("account_signup"))
    assert "Accounts come by invitation" in page.content.decode()
    assert not User.objects.filter(username="mallory").exists()


def test_a_person_who_is_not_active_does_not_get_in(client: Client) -> None:
    user = make_user()
    user.is_active = False
    user.save()
    reply = client.post(
        reverse("login"), {"username": user.username, "password": PASSWORD}, follow=True
    )
    assert reply.redirect_chain[-1][0] == reverse("account_inactive")
    assert not inside(client)


def test_an_authenticator_app_is_asked_for_after_the_password(
    client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    user = make_user()
    signed_in(client, user)
    with django_capture_on_commit_callbacks(execute=True):
        secret = with_app(client, user)
    held = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    assert secret not in str(held.data)
    client.post(reverse("logout"))

    asked = signed_in(client, user)
    assert asked["Location"].startswith(reverse("mfa_authenticate"))
    assert not inside(client)
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert not inside(client)
    cache.clear()  # A code counts once; the one that turned the app on is used again here.
    client.post(reverse("mfa_authenticate"), {"code": code(secret)})
    assert inside(client)

    failed = AuditEntry.objects.get(action=AuditAction.SIGN_IN_FAILED)
    assert failed.target == user.username
    assert failed.details == {"second_factor": "totp"}
    assert AuditAction.FACTOR_ADDED in told(user)


def test_a_recovery_code_lets_in_once(client: Client) -> None:
    user = make_user()
    signed_in(client, user)
    with_app(client, user)
    held = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    spare = held.wrap().get_unused_codes()[0]
    for lets_in in (True, False):
        client.post(reverse("logout"))
        signed_in(client, user)
        client.post(reverse("mfa_authenticate"), {"code": spare})
        assert inside(client) is lets_in


def test_the_second_factor_changes_only_after_the_password_is_given_again(client: Client) -> None:
    user = make_user()
    client.force_login(user)
    reply = client.get(reverse("mfa_activate_totp"))
    assert reply.status_code == 302
    assert reverse("account_reauthenticate") in reply["Location"]


def test_turning_the_app_off_is_written(client: Client) -> None:
    user = make_user()
    signed_in(client, user)
    with_app(client, user)
    client.post(reverse("mfa_deactivate_totp"))
    assert not Authenticator.objects.filter(user=user).exists()
    assert AuditAction.FACTOR_REMOVED in told(user)


def test_a_changed_password_ends_other_sessions_and_is_written(client: Client) -> None:
    from django.test import Client as Browser

    user, other = make_user(), Browser()
    signed_in(client, user)
    signed_in(other, user)
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    client.post(reverse("account_change_password"), form)
    assert inside(client)
    assert not inside(other)
    assert AuditAction.PASSWORD_CHANGED in told(user)
    assert all(NEW not in str(entry.details) for entry in AuditEntry.objects.all())


def test_a_forgotten_password_is_set_by_the_link_of_a_message(
    client: Client, settings: Any
) -> None:
    settings.MAIL_CONFIGURED = True
    user = make_user()
    user.email = "ana@example.org"
    user.save()
    client.post(reverse("account_reset_password"), {"email": user.email})
    link = re.search(r"http://testserver(/\S+)", str(mail.outbox[0].body))
    assert link is not None
    form = client.get(link.group(1), follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": NEW, "password2": NEW})
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert AuditEntry.objects.filter(action=AuditAction.PASSWORD_CHANGED).exists()


def test_the_page_says_where_no_mail_is_set_up(client: Client, settings: Any) -> None:
    settings.MAIL_CONFIGURED = False
    said = "This instance sends no e-mail"
    assert said in client.get(reverse("account_reset_password")).content.decode()
    settings.MAIL_CONFIGURED = True
    assert said not in client.get(reverse("account_reset_password")).content.decode()


def test_an_unknown_address_is_answered_like_a_known_one(client: Client) -> None:
    known = make_user()
    known.email = "ana@example.org"
    known.save()
    pages = [
        client.post(reverse("account_reset_password"), {"email": address}, follow=True)
        for address in (known.email, "nobody@example.org")
    ]
    assert [page.status_code for page in pages] == [200, 200]
    assert pages[0].redirect_chain == pages[1].redirect_chain
    assert len(mail.outbox) == 1


def test_failures_of_one_name_are_limited_whatever_the_password(
    client: Client, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "3/5m/key"}
    user = make_user()
    for _ in range(3):
        signed_in(client, user, "wrong")
    reply = signed_in(client, user)
    assert reply.status_code == 200
    assert "Too many failed login attempts" in reply.content.decode()
    assert not inside(client)


def test_attempts_of_one_address_are_limited_with_a_page_that_says_so(
    client: Client, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip"}
    user = make_user()
    replies = [signed_in(client, user, "wrong") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert "Too many attempts" in replies[2].content.decode()


def test_the_admin_signs_in_by_the_same_page(client: Client) -> None:
    reply = client.get(reverse("admin:login"))
    assert reply.status_code == 302
    assert reply["Location"].startswith(reverse("login"))
    client.force_login(make_user())
    assert client.get(reverse("admin:login")).status_code == 403


@pytest.mark.parametrize(
    "name",
    [
        "account_change_password",
        "account_email",
        "account_reauthenticate",
        "mfa_index",
        "mfa_list_webauthn",
        "socialaccount_connections",
        "account",
    ],
)
def test_pages_of_the_account_are_in_the_look_and_language_of_the_site(
    client: Client, name: str
) -> None:
    signed_in(client, make_user())
    client.cookies["django_language"] = "pt"
    page = client.get(reverse(name), follow=True).content.decode()
    assert 'lang="pt"' in page
    assert 'class="top"' in page
    for foreign in ("<script>", " style=", "Change Password", "Sign Out", "Email Address"):
        assert foreign not in page


def test_secrets_are_read_after_the_instance_s_key_has_changed(settings: Any) -> None:
    box = SecondFactorAdapter()
    kept = box.encrypt("JBSWY3DPEHPK3PXP")
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "quite another key"
    assert box.decrypt(kept) == "JBSWY3DPEHPK3PXP"
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(InvalidToken):
        box.decrypt(kept)


class DeafServer(BaseEmailBackend):
    """A mail server that refuses everything."""

    def send_messages(self, email_messages: Any) -> int:
        raise SMTPException("421 not now")


@pytest.fixture
def deaf(settings: Any) -> None:
    settings.MAIL_CONFIGURED = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    settings.MAILERS = {"default": {"BACKEND": f"{__name__}.DeafServer"}}


def test_a_mail_server_that_fails_is_told_to_who_adds_an_address(
    client: Client, deaf: None
) -> None:
    signed_in(client, make_user())
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    form = {"email": "ana@example.org", "action_add": "1"}
    page = client.post(reverse("account_email"), form, follow=True).content.decode()
    assert "The message could not be sent" in page
    assert "Confirmation email sent" not in page


def test_a_mail_server_that_fails_does_not_tell_which_addresses_have_an_account(
    client: Client, deaf: None
) -> None:
    user = make_user()
    user.email = "ana@example.org"
    user.save()
    pages = [
        client.post(reverse("account_reset_password"), {"email": address}, follow=True)
        for address in (user.email, "nobody@example.org")
    ]
    assert pages[0].redirect_chain == pages[1].redirect_chain != []
