"""What the product knows of one engine: from the environment, or from a row."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings

if TYPE_CHECKING:
    from decimal import Decimal

ENVIRONMENT_PRIORITY = 50
ROLES = ("embedder", "generator", "reranker", "ocr")
# Names that only resolve inside one's own network.
OWN_SUFFIXES = (".local", ".internal", ".lan", ".home.arpa", ".localhost")


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One engine that fills one role.

    `remote` says that what is sent to it leaves the operator's machines. Prices are per million tokens;
    None where none is set. `key` tells it from others; `timeout` is in seconds of silence.
    """

    key: str
    role: str
    name: str
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout: float = 60
    context_tokens: int = 8192
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    remote: bool = False
    priority: int = ENVIRONMENT_PRIORITY
    late_chunking: bool = False
    enabled: bool = True
    from_environment: bool = False
    # Why it cannot be asked at all, such as a key that cannot be read.
    problem: str = ""

    def as_settings(self) -> dict[str, Any]:
        """In the form in which the clients take it."""
        return {
            "base_url": self.base_url,
            "model": self.model,
            "api_key": self.api_key,
            "timeout": self.timeout,
            "context_tokens": self.context_tokens,
            "price_in": self.price_in,
            "price_out": self.price_out,
            "name": self.name,
            "remote": self.remote,
        }

    @property
    def shown_url(self) -> str:
        """The address without a password that may stand in it."""
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))


def environment_spec(role: str) -> EngineSpec | None:
    """The engine that the environment names for `role`, if it names one."""
    held = settings.POLYRAG_ENGINES.get(role)
    if not held or not held["base_url"]:
        return None
    place = held.get("place") or ""
    return EngineSpec(
        key=f"environment:{role}",
        role=role,
        name=f"{role.upper()}_URL",
        base_url=held["base_url"],
        model=held["model"],
        api_key=held.get("api_key") or "",
        timeout=held.get("timeout", 60),
        context_tokens=held.get("context_tokens", 8192),
        price_in=held.get("price_in"),
        price_out=held.get("price_out"),
        remote=place == "remote" if place else address_is_remote(held["base_url"]),
        late_chunking=bool(held.get("late_chunking")),
        from_environment=True,
    )


def address_is_remote(url: str) -> bool:
    """Whether the host of `url` lies outside one's own network, as far as its name or number tells.

    Loopback and private numbers, names without a dot and those of local zones are one's own; any other
    is taken for somebody else's.
    """
    host = (urlsplit(url).hostname or "").lower()
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return "." in host and not host.endswith(OWN_SUFFIXES)
    return not (number.is_private or number.is_loopback or number.is_link_local)
