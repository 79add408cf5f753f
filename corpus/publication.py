"""The last step of an ingestion: the new version enters every store as the old one leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from corpus.extraction import Extraction, extract
from corpus.models import (
    Chunk,
    DataTable,
    Document,
    DocumentVersion,
    Entity,
    Mention,
    Page,
    Relation,
    VersionState,
)
from corpus.services import entities_sweep, version_remove
from corpus.table_store import table_create, table_drop
from engines.language import fold
from engines.registry import embedder
from routing.models import StoreTerm
from routing.services import store_terms_replace
from routing.values import GRAPH, RELATIONAL, VECTORIAL, TermDraft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.values import ParsedDocument
    from teams.models import Workspace


def version_publish(*, version: DocumentVersion, parsed: ParsedDocument) -> None:
    """Make `version` the one that is served, in one transaction.

    Before it nothing of the version is found; after it nothing of the older one is.
    """
    chunks = list(Chunk.objects.filter(version=version))
    extractions = {row.pk: _extracted(row) for row in chunks}
    vectors = _name_vectors(version.document.workspace, extractions.values())
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=version.document_id)
        for old in document.versions.exclude(pk=version.pk).filter(
            created_at__lt=version.created_at
        ):
            version_remove(version=old)
        _pages(version, parsed)
        tables = _tables(version, parsed)
        relations = _graph(version.document.workspace, chunks, extractions, vectors)
        _settle_routes(chunks, extractions, has_tables=bool(tables))
        entities_sweep(workspace_id=document.workspace_id)
        store_terms_replace(
            workspace=version.document.workspace,
            document_id=document.pk,
            terms=_terms(chunks, tables, extractions),
        )
        document.current = version
        document.save(update_fields=["current"])
        version.state, version.step = VersionState.READY, ""
        version.language = max(
            {row.language for row in chunks}, key=[row.language for row in chunks].count
        )
        version.coverage = _coverage(parsed, len(chunks), len(tables), relations)
        version.warnings, version.error = list(parsed.warnings), ""
        version.finished_at = timezone.now()
        version.save()


def _extracted(row: Chunk) -> Extraction:
    """Names and facts of a passage. The summary of a table names all and states nothing."""
    if row.block == "summary":
        return Extraction((), ())
    return extract(
        row.text, language=row.language, heading_path=tuple(row.heading_path.split(" › "))
    )


def _pages(version: DocumentVersion, parsed: ParsedDocument) -> None:
    Page.objects.filter(version=version).delete()
    Page.objects.bulk_create(
        Page(
            version=version,
            number=page.number,
            label=page.label,
            engine=page.engine,
            confidence=page.confidence,
            characters=page.characters,
            note=page.note[:200],
            furniture=page.furniture,
        )
        for page in parsed.pages
    )


def _tables(version: DocumentVersion, parsed: ParsedDocument) -> list[DataTable]:
    for table in DataTable.objects.filter(version=version).select_related("workspace"):
        table_drop(table=table)
    workspace = version.document.workspace
    return [table_create(workspace=workspace, version=version, parsed=t) for t in parsed.tables]


def _name_vectors(workspace: Workspace, extractions: object) -> dict[str, object]:
    """Vectors of entity names that the workspace does not hold yet, by folded name."""
    names: dict[str, str] = {}
    for item in extractions:  # type: ignore[attr-defined]
        for fact in item.facts:
            names.setdefault(fold(fact.subject)[:200], fact.subject)
            names.setdefault(fold(fact.object)[:200], fact.object)
    known = set(
        Entity.objects.in_workspace(workspace)
        .filter(folded__in=list(names), embedder=str(embedder().identity))
        .values_list("folded", flat=True)
    )
    missing = [folded for folded in names if folded not in known]
    return dict(zip(missing, embedder().queries([names[key] for key in missing]), strict=True))


def _graph(
    workspace: Workspace,
    chunks: list[Chunk],
    extractions: dict[object, Extraction],
    vectors: dict[str, object],
) -> int:
    """Entities, mentions and relations of the chunks; gives how many relations there are."""
    names: dict[str, str] = {}
    for item in extractions.values():
        for name in item.entities:
            names.setdefault(fold(name)[:200], name[:200])
    Entity.objects.bulk_create(
        [Entity(workspace=workspace, name=name, folded=folded) for folded, name in names.items()],
        ignore_conflicts=True,
    )
    rows = {
        row.folded: row
        for row in Entity.objects.in_workspace(workspace).filter(folded__in=list(names))
    }
    fresh = [row for folded, row in rows.items() if folded in vectors]
    for row in fresh:
        row.embedding, row.embedder = vectors[row.folded], str(embedder().identity)
    Entity.objects.bulk_update(fresh, ["embedding", "embedder"])
    Mention.objects.bulk_create(
        [
            Mention(entity=rows[fold(name)[:200]], chunk=chunk)
            for chunk in chunks
            for name in extractions[chunk.pk].entities
        ],
        ignore_conflicts=True,
    )
    relations = [
        Relation(
            workspace=workspace,
            subject=rows[fold(fact.subject)[:200]],
            predicate=fact.predicate,
            object=rows[fold(fact.object)[:200]],
            chunk=chunk,
            sentence=fact.sentence,
        )
        for chunk in chunks
        for fact in extractions[chunk.pk].facts
    ]
    Relation.objects.bulk_create(relations, ignore_conflicts=True)
    return len(relations)


def _settle_routes(
    chunks: list[Chunk], extractions: dict[object, Extraction], *, has_tables: bool
) -> None:
    """A passage stays in the text store when the store of its route holds nothing of it."""
    moved = []
    for row in chunks:
        lonely = row.route == GRAPH and not extractions[row.pk].facts
        untabled = row.route == RELATIONAL and not has_tables
        if lonely or untabled:
            why = "no relation was found in it" if lonely else "it is no row of a table"
            row.decision = {**row.decision, "kept_as_text": why}
            row.route = VECTORIAL
            moved.append(row)
    Chunk.objects.bulk_update(moved, ["route", "decision"])


def _terms(
    chunks: list[Chunk], tables: list[DataTable], extractions: dict[object, Extraction]
) -> Iterator[TermDraft]:
    """What the stores now hold by name: headings, tables, columns, values, entities with relations."""
    kind = StoreTerm.Kind
    for row in chunks:
        for heading in row.heading_path.split(" › ")[1:]:
            yield TermDraft(VECTORIAL, kind.HEADING, heading)
        for fact in extractions[row.pk].facts:
            yield TermDraft(GRAPH, kind.ENTITY, fact.subject)
            yield TermDraft(GRAPH, kind.ENTITY, fact.object)
    for table in tables:
        yield TermDraft(RELATIONAL, kind.TABLE, table.title)
        for column in table.columns.all():
            yield TermDraft(RELATIONAL, kind.COLUMN, column.label)
            for value in column.values:
                yield TermDraft(RELATIONAL, kind.VALUE, value)


def _coverage(
    parsed: ParsedDocument, chunks: int, tables: int, relations: int
) -> dict[str, object]:
    read = [page for page in parsed.pages if page.characters]
    return {
        "pages": len(parsed.pages),
        "read": len(read),
        "ocr": sum(page.engine != "text" for page in read),
        "unreadable": list(parsed.unreadable),
        "chunks": chunks,
        "tables": tables,
        "relations": relations,
    }
