"""What the tests of the life cycle share: what every store holds, and readings under their control."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

from django.db import connection

from corpus import ingest as ingesting
from corpus.ingest import version_read
from corpus.models import (
    Chunk,
    DataTable,
    DocumentVersion,
    Entity,
    Mention,
    Page,
    Relation,
    VersionState,
)
from corpus.parsing import parse_file
from corpus.selectors import documents_live
from corpus.values import Attachment, ParsedDocument
from engines.registry import embedder
from retrieval import text_store
from retrieval.models import CachedAnswer
from routing.models import StoreTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from teams.models import User, Workspace

NOTE = "# Notas\n\n## Fornecedores\n\nA Argilas Bravas fornece o barro à fábrica de Penela.\n"
OTHER = "# Férias\n\nCada colaborador tem 24 dias úteis de férias por ano civil.\n"
MANUAL = "# Manual\n\n" + "\n\n".join(
    f"## Forno {n}\n\nO forno {n} coze a {900 + n} graus durante {n} horas." for n in range(20)
)


def real_tables(workspace: Workspace) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s", [workspace.schema_name]
        )
        row = cursor.fetchone()
    assert row is not None
    return int(row[0])


def stored(workspace: Workspace) -> dict[str, int]:
    """How much every store holds."""
    models = (Chunk, Page, DataTable, Entity, Mention, Relation, StoreTerm, CachedAnswer)
    held = {model.__name__: model._default_manager.count() for model in models}
    return {**held, "real tables": real_tables(workspace)}


@contextmanager
def parsed_as(change: Callable[[str, ParsedDocument], ParsedDocument]) -> Iterator[None]:
    """Every reading below goes through `change`, which gets the document's name and what was read."""

    def parse(path: Path, *, name: str, **more: Any) -> ParsedDocument:
        return change(name, parse_file(path, name=name, **more))

    with mock.patch.object(ingesting, "parse_file", parse):
        yield


@contextmanager
def holding(inside: dict[str, list[tuple[str, str]]]) -> Iterator[None]:
    """Files in files: by the container's name the names and texts of what is in it."""

    def add(name: str, read: ParsedDocument) -> ParsedDocument:
        members = inside.get(name, [])
        found = tuple(Attachment(member, text.encode()) for member, text in members)
        return replace(read, attachments=found)

    with parsed_as(add):
        yield


def read_all() -> None:
    """What the workers do: read whatever waits, until nothing does."""
    while version := DocumentVersion.objects.filter(state=VersionState.QUEUED).first():
        version_read(str(version.pk))


def names(user: User, workspace: Workspace) -> list[str]:
    return sorted(row.name for row in documents_live(workspace, user))


def by_text(workspace: Workspace, user: User) -> bool:
    """Whether the text store gives back the fact of NOTE."""
    vector = embedder().queries(["Quem fornece o barro?"])[0]
    found = text_store.search(
        workspace=workspace, user=user, text="Quem fornece o barro?", vector=vector, language="pt"
    )
    return any("Argilas Bravas" in hit.text for hit in found.hits)
