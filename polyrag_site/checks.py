"""System checks of what the instance stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.core.checks import Error, Tags, register
from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db import connections

from teams.visibility import document_model, document_paths, leads_to_many

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


# Fields that hold keys of what belongs to a document, without the database knowing.
LOOSE_KEYS = frozenset(
    {"document_id", "documents", "version_id", "versions", "chunk_id", "chunks", "restricted"}
)


@register(Tags.security)
def documents_narrowed(app_configs: object, **kwargs: Any) -> list[Error]:
    """Every model that people read and that leads to a document says how, or why it tells nothing of one."""
    return [error for model in apps.get_models() for error in narrowing_errors(model)]


def narrowing_errors(model: type[Any]) -> list[Error]:
    """What is wrong with how `model` says that it hangs on documents."""
    if not hasattr(model, "ACCESS_PATH") or model is document_model():
        return []
    said = [
        name
        for name in ("DOCUMENT_PATH", "DOCUMENT_KEY", "DOCUMENT_FREE")
        if getattr(model, name, None)
    ]
    if len(said) > 1:
        return [_unnarrowed(model, f"says {' and '.join(said)}", "E004")]
    if not said:
        led = _leads(model)
        what = f"leads to a document by {led} and does not say how"
        return [_unnarrowed(model, what, "E003")] if led else []
    try:
        for path in document_paths(model):
            leads_to_many(model, path)
        if key := getattr(model, "DOCUMENT_KEY", None):
            model._meta.get_field(key)
    except (ImproperlyConfigured, FieldDoesNotExist) as error:
        return [_unnarrowed(model, f"declares a path that is none: {error}", "E005")]
    return []


def _leads(model: type[Any]) -> str:
    """The field by which a model leads to a document, through keys of others or loosely; "" without one."""
    seen, waiting = set(), [(model, "")]
    while waiting:
        at, first = waiting.pop()
        for field in at._meta.concrete_fields:
            if at is model and not field.is_relation and field.name in LOOSE_KEYS:
                return str(field.name)
            other = field.related_model
            if other is document_model():
                return first or str(field.name)
            if other is not None and other not in seen:
                seen.add(other)
                waiting.append((other, first or str(field.name)))
    return ""


def _unnarrowed(model: type[Any], what: str, number: str) -> Error:
    return Error(
        f"{model.__name__} {what}.",
        hint="Declare one of DOCUMENT_PATH, DOCUMENT_KEY and DOCUMENT_FREE (teams/visibility.py).",
        obj=model,
        id=f"polyrag.{number}",
    )
