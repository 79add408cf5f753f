"""Settings of mail and of sign-in through another provider, read from the environment."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from polyrag_site import environment as env

MAIL_SECONDS = 15
# What stands in addresses of the one provider: /accounts/oidc/sso/login/callback/.
OIDC_KEY = "sso"


def mailers(url: str) -> dict[str, Any]:
    """Django's MAILERS for `smtp://user:password@host:port` (`smtps://`: TLS from the first byte; `?tls=0`:
    none at all). Without an address messages go to the server's log."""
    if not url:
        return {"default": {"BACKEND": "django.core.mail.backends.console.EmailBackend"}}
    parts = urlsplit(url)
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname:
        raise ImproperlyConfigured(
            "EMAIL_URL must read smtp://user:password@host:port (or smtps://…)."
        )
    implicit = parts.scheme == "smtps"
    starttls = not implicit and parse_qs(parts.query).get("tls", ["1"])[0] != "0"
    options: dict[str, Any] = {
        "host": parts.hostname,
        "port": parts.port or (465 if implicit else 587 if starttls else 25),
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_ssl": implicit,
        "use_tls": starttls,
        "timeout": MAIL_SECONDS,
    }
    return {
        "default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}
    }


def oidc() -> dict[str, Any]:
    """allauth's SOCIALACCOUNT_PROVIDERS for the one provider of the environment; empty where none is set.

    Raises ImproperlyConfigured when only some of the variables are there.
    """
    named = {
        "OIDC_ISSUER": env.text("OIDC_ISSUER").rstrip("/"),
        "OIDC_CLIENT_ID": env.text("OIDC_CLIENT_ID"),
        "OIDC_CLIENT_SECRET": env.text("OIDC_CLIENT_SECRET"),
    }
    if not any(named.values()):
        return {}
    missing = [name for name, value in named.items() if not value]
    if missing:
        raise ImproperlyConfigured(f"Sign-in by OIDC also needs {', '.join(missing)}.")
    app = {
        "provider_id": OIDC_KEY,
        "name": env.text("OIDC_NAME", "Single sign-on"),
        "client_id": named["OIDC_CLIENT_ID"],
        "secret": named["OIDC_CLIENT_SECRET"],
        "settings": {"server_url": named["OIDC_ISSUER"]},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}


def form_targets() -> list[str]:
    """Origins beside our own that a form may end at: browsers hold `form-action` against redirects too."""
    issuer = urlsplit(env.text("OIDC_ISSUER"))
    found = [f"{issuer.scheme}://{issuer.netloc}"] if issuer.netloc else []
    return [*found, *env.words("OIDC_FORM_ORIGINS", [])]
