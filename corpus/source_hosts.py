"""Which machines a curator may make this server talk to."""

from __future__ import annotations

import ipaddress
import socket

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from corpus.errors import CorpusError


class SourceRefused(CorpusError):
    """The database may not be attached. The message says why and what to do."""


def address_of(host: str, port: int, database: str) -> str:
    """The number to connect to, resolved once, so that the name cannot lead elsewhere a moment later.

    Refused are this machine, addresses of the link (where clouds keep their metadata), addresses of no
    single machine, files, and PolyRAG's own database, unless `POLYRAG_SOURCE_HOSTS` names the host. Raises
    SourceRefused.
    """
    allowed = host in settings.SOURCE_HOSTS
    if host.startswith(("/", "@")) or "," in host:
        if allowed:
            return ""
        raise SourceRefused(_("Only the name or the number of one host can be given."))
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SourceRefused(_("There is no host %(host)s.") % {"host": host}) from error
    numbers = list(dict.fromkeys(str(item[4][0]).partition("%")[0] for item in found))
    if not allowed and not all(_outside(number) for number in numbers):
        raise SourceRefused(
            _(
                "%(host)s is this machine or a reserved address. The operator can allow it by "
                "POLYRAG_SOURCE_HOSTS."
            )
            % {"host": host}
        )
    if not allowed and _own(numbers, port, database):
        raise SourceRefused(_("This is the database of PolyRAG itself."))
    return numbers[0]


def _outside(number: str) -> bool:
    address = ipaddress.ip_address(number)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return not (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or address.is_multicast
        or address.is_reserved
    )


def _own(numbers: list[str], port: int, database: str) -> bool:
    """Whether this is the very database that the product works on."""
    held = connection.settings_dict
    if database != held["NAME"] or str(port) != str(held["PORT"] or 5432):
        return False
    host = held["HOST"] or "localhost"
    if host.startswith("/"):
        return False
    try:
        ours = {str(item[4][0]) for item in socket.getaddrinfo(host, port)}
    except OSError:
        return True
    return bool(ours & set(numbers))
