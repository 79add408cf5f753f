"""System checks of what the instance stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.checks import Error, Tags, register
from django.db import connections

if TYPE_CHECKING:
    from collections.abc import Sequence

PGVECTOR_MINIMUM = (0, 8, 4)


@register(Tags.database)
def pgvector_version(
    app_configs: object, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[Error]:
    """pgvector below 0.8.4 has an overflow in its parallel index build and vacuum faults."""
    found: list[Error] = []
    for alias in databases or ():
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            row = cursor.fetchone()
        if row is None:
            found.append(
                Error(
                    "The extension pgvector is missing.",
                    hint="As a superuser: CREATE EXTENSION vector; in this database, and in template1 "
                    "for tests.",
                    id="polyrag.E001",
                )
            )
        elif tuple(int(part) for part in row[0].split(".")[:3]) < PGVECTOR_MINIMUM:
            found.append(
                Error(
                    f"pgvector {row[0]} is too old.",
                    hint="Upgrade it to 0.8.4 or newer, then ALTER EXTENSION vector UPDATE;",
                    id="polyrag.E002",
                )
            )
    return found
