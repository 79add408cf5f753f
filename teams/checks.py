"""System check: every URL says which right it asks for, so that a forgotten one is an error at the start.

The table is `settings.URL_RIGHTS`: names of URLs (`corpus-upload`), or of whole namespaces (`admin:`), with
what they ask for. Tests try each of them as nobody, as a stranger and as a reader.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.checks import Error, Tags, register
from django.urls import URLPattern, get_resolver
from django.utils.module_loading import import_string

from teams.access import Right

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from django.urls import URLResolver


class Ask(enum.StrEnum):
    """What a URL asks for beside the rights in a workspace."""

    PUBLIC = "public"  # anybody; what it shows hangs on a secret in the address or in the session
    SIGNED_IN = "signed in"  # a person, about nothing but themselves
    STAFF = "staff"  # Django's staff, by Django's permissions
    TOKEN = "token"  # a service token or a session; each operation asks for its own right  # noqa: S105


Asked = Ask | Right


@dataclass(frozen=True, slots=True)
class Address:
    """One URL: `name` with its namespaces, or its route where it has none."""

    name: str
    route: str
    pattern: URLPattern


def addresses(resolver: URLResolver | None = None) -> Iterator[Address]:
    """Every URL of the project."""
    yield from _walk(resolver or get_resolver(), "", "")


def asked_of(address: Address, table: Mapping[str, Asked]) -> Asked | None:
    """What the table says of a URL: by its name, else by the nearest namespace around it."""
    if address.name in table:
        return table[address.name]
    space = address.name
    while ":" in space:
        space = space.rpartition(":")[0]
        if f"{space}:" in table:
            return table[f"{space}:"]
    return None


def url_rights() -> Mapping[str, Asked]:
    table: Mapping[str, Asked] = import_string(settings.URL_RIGHTS)
    return table


@register(Tags.urls)
def urls_declared(app_configs: object, **kwargs: Any) -> list[Error]:
    """An error for each URL that the table leaves out, and for each line of it without a URL."""
    table, known = url_rights(), list(addresses())
    found = [
        Error(
            f"The URL {one.route} ({one.name}) does not say which right it asks for.",
            hint=f"Add its name to {settings.URL_RIGHTS}.",
            id="polyrag.E010",
        )
        for one in known
        if asked_of(one, table) is None
    ]
    names = {one.name for one in known}
    spaces = {name[: at + 1] for name in names for at, sign in enumerate(name) if sign == ":"}
    found += [
        Error(
            f"{settings.URL_RIGHTS} names {name}, which no URL has.",
            hint="Take the line away, or mend the name.",
            id="polyrag.E011",
        )
        for name in table
        if name not in names | spaces
    ]
    return found


def _walk(resolver: URLResolver, space: str, route: str) -> Iterator[Address]:
    for one in resolver.url_patterns:
        here = route + str(one.pattern)
        if isinstance(one, URLPattern):
            yield Address(f"{space}{one.name or here}", here, one)
        else:
            inner = f"{space}{one.namespace}:" if one.namespace else space
            yield from _walk(one, inner, here)
