"""What the environment says of mail and of the provider becomes Django's settings, or a clear error."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from polyrag_site.sign_in import form_targets, mailers, oidc


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("smtp://mail.example.org", {"host": "mail.example.org", "port": 587, "use_tls": True}),
        ("smtp://h:2525?tls=0", {"port": 2525, "use_tls": False, "use_ssl": False}),
        ("smtp://h?tls=0", {"port": 25, "use_tls": False}),
        ("smtps://me%40x:p%3Aw@h", {"port": 465, "use_ssl": True, "use_tls": False}),
        ("smtps://me%40x:p%3Aw@h", {"username": "me@x", "password": "p:w"}),
    ],
)
def test_an_address_of_a_mail_server_is_taken_apart(url: str, wanted: dict[str, object]) -> None:
    options = mailers(url)["default"]["OPTIONS"]
    assert wanted.items() <= options.items()


@pytest.mark.parametrize("url", ["mail.example.org", "http://h", "smtp://", "smtp:host"])
def test_what_is_no_mail_server_is_refused_by_name(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL"):
        mailers(url)


def test_without_an_address_messages_go_to_the_log() -> None:
    assert mailers("")["default"]["BACKEND"].endswith("console.EmailBackend")


def test_forms_may_lead_to_the_provider_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert form_targets() == []
    monkeypatch.setenv("OIDC_ISSUER", "https://id.example.org/realms/team")
    assert form_targets() == ["https://id.example.org"]
    monkeypatch.setenv("OIDC_FORM_ORIGINS", "https://login.example.org")
    assert form_targets() == ["https://id.example.org", "https://login.example.org"]


def test_the_provider_is_named_and_asked_with_a_proof_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert oidc() == {}
    for name, value in (
        ("ISSUER", "https://id.example.org/"),
        ("CLIENT_ID", "a"),
        ("NAME", "Example"),
    ):
        monkeypatch.setenv(f"OIDC_{name}", value)
    monkeypatch.setenv("OIDC_CLIENT_SECRET", "b")
    made = oidc()["openid_connect"]
    assert made["OAUTH_PKCE_ENABLED"]
    assert made["APPS"][0]["name"] == "Example"
    assert made["APPS"][0]["settings"]["server_url"] == "https://id.example.org"
