"""Typed readers of environment variables, so that a wrong value is named at start-up."""

from __future__ import annotations

import os
import secrets
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from pathlib import Path


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, *, default: bool) -> bool:
    value = text(name).lower()
    if value in {"", "0", "1", "true", "false", "yes", "no"}:
        return default if value == "" else value in {"1", "true", "yes"}
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def number(name: str, default: int) -> int:
    value = text(name)
    if not value:
        return default
    if not value.isdigit():
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.")
    return int(value)


def decimal(name: str) -> Decimal | None:
    """A number of nought or more, with a point for its decimals; None where nothing is set."""
    value = text(name)
    if not value:
        return None
    try:
        found = Decimal(value)
    except InvalidOperation as error:
        raise ImproperlyConfigured(f"{name} must be a number, not {value!r}.") from error
    if not found.is_finite() or found < 0:
        raise ImproperlyConfigured(f"{name} must be nought or more, not {value!r}.")
    return found


def choice(name: str, allowed: tuple[str, ...]) -> str:
    """One of `allowed`; nothing where nothing is set."""
    value = text(name).lower()
    if value and value not in allowed:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(allowed)}, not {value!r}.")
    return value


def words(name: str, default: list[str]) -> list[str]:
    value = text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else default


# A link that is cut says nothing. Within some 15 s it is taken for dead, and what waited on it fails; the
# server is told to do likewise, since a host that vanished in mid-transaction would keep its locks for hours.
DATABASE_LINK = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3",
}


def database(url: str, name: str = "DATABASE_URL") -> dict[str, Any]:
    """Django's settings for a `postgresql://user:password@host:port/name?option=value` address."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"{name} must start with postgresql://, not {parts.scheme or url!r}."
        )
    options: dict[str, Any] = {
        **DATABASE_LINK,
        **dict(parse_qsl(parts.query, keep_blank_values=True)),
    }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
    }


def redis(name: str) -> str:
    """The address of a Redis, or nothing where nothing is set."""
    value = text(name)
    if value and urlsplit(value).scheme not in {"redis", "rediss", "unix"}:
        raise ImproperlyConfigured(f"{name} must start with redis://, rediss:// or unix://.")
    return value


def kept_secret(path: Path) -> str:
    """A secret key that survives restarts, made on first use and readable by its owner only."""
    if path.exists():
        return path.read_text(encoding="utf-8").strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    key = secrets.token_urlsafe(60)
    path.touch(mode=0o600)
    path.write_text(key, encoding="utf-8")
    return key
