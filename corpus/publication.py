"""The last step of an ingestion: the new version enters every store as the old one leaves."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from corpus.graph import extracted, graph_enter, name_vectors
from corpus.lease import LeaseLost
from corpus.locks import stores_lock
from corpus.members import members_settle
from corpus.models import Chunk, DataTable, DocumentVersion, Page, VersionState
from corpus.removal import entities_sweep, version_remove
from corpus.table_store import table_create, table_drop
from corpus.theme_jobs import themes_queue
from routing.models import StoreTerm
from routing.services import store_terms_replace
from routing.values import GRAPH, RELATIONAL, VECTORIAL, TermDraft

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterator, Mapping, Sequence

    from corpus.extraction import Extraction
    from corpus.lease import Lease
    from corpus.members import Members
    from corpus.values import ParsedDocument

# What a parser notes of a page on which there is nothing to read.
BLANK = "blank"


def version_publish(*, lease: Lease, parsed: ParsedDocument) -> None:
    """Make the version the one that is served, in one transaction.

    Before it nothing of the version is found; after it nothing of the older one is. Raises LeaseLost,
    with nothing changed, when the version was cancelled, trashed or deleted meanwhile.
    """
    version = lease.version
    document, workspace = version.document, version.document.workspace
    chunks = list(Chunk.objects.filter(version=version))
    extractions = {row.pk: extracted(row) for row in chunks}
    vectors = name_vectors(workspace, extractions.values())
    with transaction.atomic():
        stores_lock(workspace.pk)
        for old in document.versions.exclude(pk=version.pk):
            version_remove(version=old)
        _pages(version, parsed)
        tables = _tables(version, parsed)
        # A name may have left the graph with its last source since it was looked up above.
        vectors |= name_vectors(workspace, extractions.values(), but=vectors)
        relations = graph_enter(workspace, chunks, extractions, vectors)
        _settle_routes(chunks, extractions, has_tables=bool(tables))
        entities_sweep(workspace_id=workspace.pk)
        store_terms_replace(
            workspace=workspace,
            document_id=document.pk,
            terms=_terms(chunks, tables, extractions),
        )
        members = members_settle(version=version, attachments=parsed.attachments)
        document.current = version
        document.save(update_fields=["current"])
        # The last statement decides: who took the lease away since has the last word.
        published = lease.rows().update(
            state=VersionState.READY,
            step="",
            language=_language(chunks),
            coverage=_coverage(parsed, len(chunks), len(tables), relations, members),
            warnings=list(parsed.warnings),
            error="",
            finished_at=timezone.now(),
            lease_holder="",
            lease_until=None,
        )
        if not published:
            raise LeaseLost
        themes_queue(workspace.pk)


def _language(chunks: Sequence[Chunk]) -> str:
    """The one that most passages are in."""
    return Counter(row.language for row in chunks).most_common(1)[0][0]


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


def kept_as_text(route: str, *, linked: bool, tabled: bool) -> str:
    """Why a passage stays in the text store although it was sent to `route`, or "" when it goes there.

    `linked` says that a relation was found in it, `tabled` that its document holds a table.
    """
    if route == GRAPH and not linked:
        return "no relation was found in it"
    if route == RELATIONAL and not tabled:
        return "it is no row of a table"
    return ""


def _settle_routes(
    chunks: Sequence[Chunk], extractions: Mapping[uuid.UUID, Extraction], *, has_tables: bool
) -> None:
    """A passage stays in the text store when the store of its route holds nothing of it."""
    moved = []
    for row in chunks:
        linked = bool(extractions[row.pk].facts)
        if why := kept_as_text(row.route, linked=linked, tabled=has_tables):
            row.decision = {**row.decision, "kept_as_text": why}
            row.route = VECTORIAL
            moved.append(row)
    Chunk.objects.bulk_update(moved, ["route", "decision"])


def _terms(
    chunks: Sequence[Chunk],
    tables: Sequence[DataTable],
    extractions: Mapping[uuid.UUID, Extraction],
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
    parsed: ParsedDocument, chunks: int, tables: int, relations: int, members: Members
) -> dict[str, object]:
    read = [page for page in parsed.pages if page.characters]
    return {
        "pages": len(parsed.pages),
        "read": len(read),
        "ocr": sum(page.engine != "text" for page in read),
        "blank": sum(page.note == BLANK and not page.characters for page in parsed.pages),
        "unread": [
            page.number for page in parsed.pages if not page.characters and page.note != BLANK
        ],
        "unreadable": [*parsed.unreadable, *members.refused],
        "chunks": chunks,
        "tables": tables,
        "relations": relations,
        "members": members.taken,
        "shared": members.shared,
    }
