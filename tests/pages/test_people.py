"""People in a real browser: an invitation is made and accepted, a passkey signs in, no page has a barrier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from teams.invitations import invitation_create
from teams.models import Membership, Role, User
from tests.browser import Visit
from tests.factories import PASSWORD, make_member
from tests.pages.test_axe import barriers
from tests.teams.test_sign_in import code as totp_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_an_invited_person_signs_up_and_sees_the_workspace(
    visit: Visit, browser: Browser, address: str, owner: User
) -> None:
    team = owner.memberships.get().workspace
    visit.go(reverse("members"))
    visit.page.select_option("#id_role", Role.CONTRIBUTOR)
    visit.page.click('form[action$="/invite/"] button')
    link = visit.page.input_value("#link")
    assert visit.page.is_visible('button[data-copy="link"]')
    visit.go(reverse("members"))
    assert visit.page.locator("#link").count() == 0

    guest = Visit(browser.new_context(java_script_enabled=False).new_page(), address)
    guest.go(link.removeprefix(address))
    assert team.name in guest.page.inner_text("h1")
    guest.page.click('a[href$="/signup/"]')
    guest.page.fill("#id_username", "rui")
    guest.page.fill("#id_password1", PASSWORD)
    guest.page.fill("#id_password2", PASSWORD)
    guest.page.click("form.sign-up button")
    guest.page.wait_for_selector(".main-nav")
    assert guest.page.inner_text(".space") == team.name
    guest.go(reverse("corpus"))
    assert guest.page.locator('form[action$="/upload/"]').count() == 1
    assert guest.troubles == []

    membership = Membership.objects.get(user__username="rui")
    assert membership.role == Role.CONTRIBUTOR
    visit.go(reverse("members"))
    visit.page.click("details.sure summary")
    visit.page.click(f'form[action$="/{membership.pk}/remove/"] button')
    visit.page.wait_for_selector(".message.success")
    reply = guest.page.goto(address + reverse("corpus"))
    assert reply is not None
    assert reply.status == 404


def test_a_role_is_changed_from_the_keyboard(visit: Visit, owner: User) -> None:
    member = make_member(owner.memberships.get().workspace)
    visit.go(reverse("members"))
    held = Membership.objects.get(user=member)
    visit.page.focus(f"#role-{held.pk}")
    # Walking through the roles gives none of them yet.
    visit.page.keyboard.type("Cur")
    held.refresh_from_db()
    assert held.role == Role.READER
    visit.page.keyboard.press("Tab")
    with visit.page.expect_navigation():
        visit.page.keyboard.press("Enter")
    held.refresh_from_db()
    assert held.role == Role.CURATOR


def test_a_passkey_is_added_and_signs_in_without_a_password(
    browser: Browser, address: str, owner: User
) -> None:
    # Browsers offer passkeys to names, and without TLS to this one alone.
    visit = Visit(browser.new_context().new_page(), address.replace("127.0.0.1", "localhost"))
    key = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
    }
    tools = visit.page.context.new_cdp_session(visit.page)
    tools.send("WebAuthn.enable")
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": key})
    visit.sign_in(owner)
    visit.go(reverse("mfa_add_webauthn"))
    visit.page.fill("#id_password", PASSWORD)
    visit.page.click("main form.card button")
    visit.page.check("#id_passwordless")
    visit.page.click("#mfa_webauthn_add")
    visit.page.wait_for_url("**/recovery-codes/**")
    visit.page.click("form.inline button:has-text('Sign out')")
    visit.page.wait_for_selector("form.sign-in")
    visit.page.click("#passkey_login")
    visit.page.wait_for_selector(".main-nav")
    assert owner.username in visit.page.inner_text("a.who")
    assert visit.troubles == []


def test_no_page_of_people_has_a_barrier(browser: Browser, address: str, owner: User) -> None:
    team = owner.memberships.get().workspace
    make_member(team)
    _, token = invitation_create(workspace=team, user=owner, role=Role.READER, days=7)
    visit = Visit(browser.new_context().new_page(), address)
    found: list[str] = []
    for name in ("account_reset_password", "account_signup"):
        visit.go(reverse(name))
        found += barriers(visit, name)
    for name in ("invitation", "account_signup"):
        visit.go(reverse(name, args=[token] if name == "invitation" else []))
        found += barriers(visit, f"{name}, invited")
    visit.sign_in(owner)
    visit.go(reverse("account_reauthenticate"))
    visit.page.fill("#id_password", PASSWORD)
    visit.page.click("main form.card button")
    for name in (
        "account",
        "account_change_password",
        "account_email",
        "mfa_index",
        "mfa_activate_totp",
        "mfa_list_webauthn",
        "mfa_add_webauthn",
        "members",
        "workspace-new",
        "workspace-delete",
    ):
        visit.go(reverse(name))
        found += barriers(visit, name)
    found += _with_second_factor(visit, owner)
    assert found == []
    assert visit.troubles == []


def _with_second_factor(visit: Visit, owner: User) -> Iterator[str]:
    """The pages that only a person with an authenticator app sees."""
    visit.go(reverse("mfa_activate_totp"))
    secret = visit.page.input_value("#authenticator_secret")
    visit.page.fill("#id_code", totp_code(secret))
    visit.page.click("main form.card button")
    visit.page.wait_for_url("**/recovery-codes/**")
    for name in (
        "mfa_view_recovery_codes",
        "mfa_generate_recovery_codes",
        "mfa_deactivate_totp",
        "mfa_index",
    ):
        visit.go(reverse(name))
        yield from barriers(visit, name)
    visit.page.click("form.inline button:has-text('Sign out')")
    visit.page.fill("#id_username", owner.username)
    visit.page.fill("#id_password", PASSWORD)
    visit.page.click("form.sign-in button")
    visit.page.wait_for_selector("#id_code")
    yield from barriers(visit, "mfa_authenticate")
