"""Who may read a document, and changing it. At once on every road, since all of them ask the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from corpus.audience import EVERYBODY, Audience, audience_of, audience_set
from corpus.errors import SharingRefused
from corpus.jobs import changed
from corpus.locks import names_lock, stores_lock
from corpus.naming import document_rename, free_name
from corpus.told import target_of
from corpus.trash import family, shared_members_leave
from teams.access import Right, holds
from teams.audit import audit_record
from teams.audit_models import AuditAction
from teams.models import Group
from teams.visibility import Visibility, reader_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus.models import Document
    from teams.models import User, Workspace

GROUPS_MOST = 20


def groups_offered(workspace: Workspace, user: User) -> Any:
    """The groups that `user` may show documents to: their own, for curators all of the workspace."""
    found = Group.objects.visible_to(user).in_workspace(workspace)
    if holds(user, workspace, Right.CURATE):
        return found
    return found.filter(members__user=user)


def audience_checked(
    *,
    workspace: Workspace,
    user: User,
    visibility: str,
    groups: Iterable[int] = (),
    held: Audience = EVERYBODY,
) -> Audience:
    """The audience that was asked for. Raises SharingRefused, which says what is wrong with it.

    Groups that the document is shown to already (`held`) may stay, whoever changes it.
    """
    if visibility not in Visibility.values:
        raise SharingRefused(_("Say who may read the document."))
    if visibility != Visibility.GROUPS:
        return Audience(visibility)
    wanted = frozenset(groups)
    offered = set(groups_offered(workspace, user).values_list("pk", flat=True))
    if not wanted:
        raise SharingRefused(_("Choose at least one group, or another answer."))
    if len(wanted) > GROUPS_MOST or wanted - offered - held.groups:
        raise SharingRefused(_("A group that was chosen is not here any more. Choose again."))
    return Audience(visibility, wanted)


def may_share(document: Document, user: User) -> bool:
    """Whether `user`, who may read the document, may say who else may: its uploader, and curators."""
    right = Right.UPLOAD if document.uploaded_by_id == user.pk else Right.CURATE
    return holds(user, document.workspace, right)


@transaction.atomic
def document_share(*, document: Document, user: User, audience: Audience) -> None:
    """Let `audience` read the document and the files inside it, and nobody else beside its uploader.

    Runs under the stores' lock, so that no reading in progress puts anything into a store under the old
    rights. Raises PermissionDenied for who may not, and SharingRefused for a file inside another, which
    is read by whoever may read that one.
    """
    if not may_share(document, user):
        raise PermissionDenied
    stores_lock(document.workspace_id)
    names_lock(document.workspace_id)
    document.refresh_from_db()
    if document.parent_id is not None:
        raise SharingRefused(
            _("It came inside another file, and is read by whoever reads that one.")
        )
    before = audience_of(document)
    if before == audience:
        return
    told_before = reader_ids(document)
    if not audience.holds_all_of(before):
        shared_members_leave(document)
    if audience == EVERYBODY:
        _names_settle(document)
    rows = family(document)
    audience_set(documents=rows, audience=audience)
    for row in rows:
        changed(row, also=told_before)
    document.refresh_from_db()
    audit_record(
        action=AuditAction.SHARED,
        actor=user,
        workspace=document.workspace,
        target=target_of(document),
        details={
            "document": str(document.pk),
            "from": before.visibility,
            "to": audience.visibility,
        },
    )


def _names_settle(document: Document) -> None:
    """Names that are free among those of the documents that everybody reads."""
    document_rename(document=document, name=document.name, audience="")
    for row in family(document):
        name = free_name(row.workspace_id, row.name, but=row.pk, audience="")
        if name != row.name:
            row.name = name
            row.save(update_fields=["name"])
