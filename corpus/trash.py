"""Documents leave: to the trash, back from it, or for good. Their members go and return with them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.audience import audience_of, audience_set
from corpus.errors import UploadRefused
from corpus.jobs import changed, version_queue
from corpus.locks import names_lock, stores_lock
from corpus.models import Document, DocumentVersion, VersionState
from corpus.naming import document_rename, free_name
from corpus.removal import entities_sweep, version_remove, version_unstore
from corpus.theme_jobs import themes_queue
from corpus.told import target_of
from routing.services import store_terms_delete
from teams.audit import audit_record
from teams.audit_models import AuditAction

if TYPE_CHECKING:
    import uuid

    from teams.models import User


def family(document: Document) -> list[Document]:
    """The document and every file that came in inside it, however deep; containers before members."""
    rows = list(Document.objects.filter(pk=document.pk))
    level = rows
    while level:
        level = list(Document.objects.filter(parent__in=level).order_by("pk"))
        rows += level
    return rows


def document_trash(*, document: Document, user: User | None) -> None:
    """Take a document and its members out of every store at once; their files wait in the trash.

    Once this returns no store gives anything of them back. Only the newest version is kept, and nothing
    that was read from it: restoring reads it again.
    """
    _readings_stop(document)
    with transaction.atomic():
        stores_lock(document.workspace_id)
        names_lock(document.workspace_id)
        now = timezone.now()
        for row in _leaving(document):
            if row.trashed_at is None:
                _trash(row)
                row.current, row.trashed_at, row.trashed_by = None, now, user
                row.save(update_fields=["current", "trashed_at", "trashed_by"])
                changed(row)
        entities_sweep(workspace_id=document.workspace_id)
        themes_queue(document.workspace_id)
        _told(AuditAction.DELETED, document, user, for_good=False)


def _told(action: AuditAction, document: Document, user: User | None, **details: bool) -> None:
    audit_record(
        action=action,
        actor=user,
        workspace=document.workspace,
        target=target_of(document),
        details={"document": str(document.pk), **details},
    )


def _trash(row: Document) -> None:
    """Out of every store, with the newest version's file alone kept."""
    newest = row.versions.first()
    for version in row.versions.all():
        if version == newest:
            version_unstore(version=version)
        else:
            version_remove(version=version)
    store_terms_delete(document_id=row.pk)
    row.versions.update(
        state=VersionState.CANCELLED,
        step="",
        done=0,
        total=0,
        coverage={},
        warnings=[],
        error="",
        lease_until=None,
        lease_holder="",
    )


@transaction.atomic
def document_restore(*, document: Document, user: User | None = None, name: str = "") -> None:
    """Take a document out of the trash, with the members that went with it, and read them again.

    Its name, or `name`, gets "(restored)" when another document is called so by now. A member restored
    while its container stays in the trash stands on its own. Raises UploadRefused when the same bytes
    have come in again meanwhile; nothing is restored then.
    """
    names_lock(document.workspace_id)
    document.refresh_from_db()
    if document.trashed_at is None:
        return
    _refuse_twice(document)
    together = [row for row in family(document) if row.trashed_at == document.trashed_at]
    for row in together:
        wanted = name if name and row.pk == document.pk else row.name
        row.name = free_name(
            row.workspace_id, wanted, but=row.pk, mark=_("restored"), audience=row.audience
        )
        row.trashed_at, row.trashed_by = None, None
        if row.pk == document.pk and row.parent is not None and row.parent.trashed_at is not None:
            row.parent = None
        row.save(update_fields=["name", "trashed_at", "trashed_by", "parent"])
        row.versions.update(state=VersionState.QUEUED, attempts=0, finished_at=None)
        for version in row.versions.select_related("document"):
            version_queue(version=version)
    document.refresh_from_db()
    _told(AuditAction.RESTORED, document, user)


def document_delete(*, document: Document, user: User | None = None) -> None:
    """Remove a document and its members with every trace that they left in any store.

    The audit log keeps its name and who removed it; nobody (None) is the clock that empties the trash.
    """
    _readings_stop(document)
    with transaction.atomic():
        stores_lock(document.workspace_id)
        names_lock(document.workspace_id)
        _told(AuditAction.DELETED, document, user, for_good=True)
        family_remove(document)
        entities_sweep(workspace_id=document.workspace_id)
        themes_queue(document.workspace_id)


def family_remove(document: Document) -> None:
    """Remove a document and its members, members first. Runs under the locks of stores and names."""
    for row in reversed(_leaving(document)):
        for version in row.versions.all():
            version_remove(version=version)
        store_terms_delete(document_id=row.pk)
        changed(row)
        row.delete()


def trash_empty() -> int:
    """Delete what has lain in the trash for TRASH_DAYS. Gives how many documents went."""
    before = Document.objects.count()
    old = timezone.now() - timedelta(days=settings.TRASH_DAYS)
    for document in Document.objects.filter(trashed_at__lt=old):
        document_delete(document=document)
    return before - Document.objects.count()


def shared_members_leave(document: Document) -> None:
    """Members that another container with the same readers holds too move over there, before fewer people
    may read this one. Runs under the locks of stores and names."""
    _leaving(document, alike=True)


def _leaving(document: Document, *, alike: bool = False) -> list[Document]:
    """The family without members that another container holds too: those move over there.

    `alike` leaves out containers that other people read by now.
    """
    rows = family(document)
    inside = {row.pk for row in rows}
    kept: dict[uuid.UUID, Document] = {}
    for row in rows:
        below = row.parent_id in kept and row.pk != document.pk
        if row.pk == document.pk or (below and not _moved(row, inside, alike=alike)):
            kept[row.pk] = row
    return list(kept.values())


def _moved(row: Document, inside: set[uuid.UUID], *, alike: bool) -> bool:
    """Give a member to another container in which the same bytes were found. Gives whether there is one.

    It is then read by whoever reads that one; one with the same readers comes first.
    """
    for version in row.versions.all():
        holding = (
            DocumentVersion.objects.filter(
                document__workspace=row.workspace_id,
                document__trashed_at=None,
                document__current=F("pk"),
                coverage__shared__has_key=version.sha256,
            )
            .exclude(document__in=inside)
            .select_related("document")
        )
        same = holding.filter(document__audience=row.audience).first()
        heir = same or (None if alike else holding.first())
        if heir is not None and row.trashed_at is None:
            name = heir.coverage["shared"].pop(version.sha256)
            heir.save(update_fields=["coverage"])
            row.parent = heir.document
            row.save(update_fields=["parent"])
            document_rename(document=row, name=name, audience=heir.document.audience)
            if same is None:
                audience_set(documents=family(row), audience=audience_of(heir.document))
            return True
    return False


def _readings_stop(document: Document) -> None:
    """Tell the workers that read any of it to stop, before anything waits for a lock."""
    DocumentVersion.objects.filter(
        document__in=family(document), state__in=[VersionState.QUEUED, VersionState.READING]
    ).update(state=VersionState.CANCELLED, lease_until=None, lease_holder="")


def _refuse_twice(document: Document) -> None:
    held = list(document.versions.values_list("sha256", flat=True))
    twin = (
        Document.objects.filter(
            workspace=document.workspace_id,
            trashed_at=None,
            audience=document.audience,
            versions__sha256__in=held,
        )
        .exclude(pk=document.pk)
        .first()
    )
    if twin is not None:
        raise UploadRefused(
            _("%(name)s is here already, as %(twin)s. Delete one of them first.")
            % {"name": document.name, "twin": twin.name}
        )
