"""Files inside files: each becomes a document of its own, in the transaction that publishes its container."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.core.files.base import ContentFile
from django.utils.translation import gettext as _

from corpus.audience import audience_begin, audience_of
from corpus.errors import UploadRefused
from corpus.locks import names_lock
from corpus.models import Document, DocumentVersion
from corpus.naming import document_rename, free_name, member_name, numbered
from corpus.trash import family, family_remove
from corpus.uploads import UNREAD, examined, version_add

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable, Iterator

    from corpus.uploads import Incoming
    from corpus.values import Attachment

# A file inside a file inside a file: deeper ones are not taken in.
DEEPEST = 3
# In one container, counted over all its depths.
MOST = 2000


@dataclass(slots=True)
class Members:
    """What became of the files inside a file. `shared` are those whose bytes were here already, as
    another document: by their SHA-256 the name that they have in this container."""

    taken: int = 0
    refused: list[str] = field(default_factory=list)
    shared: dict[str, str] = field(default_factory=dict)


def members_settle(*, version: DocumentVersion, attachments: Iterable[Attachment]) -> Members:
    """Make a document of every attachment, replace those that changed, and take away those that went.

    Reading a container twice changes nothing. Runs in the transaction of the caller, who holds the
    stores' lock.
    """
    container, done = version.document, Members()
    kept: set[uuid.UUID] = set()
    names_lock(container.workspace_id)
    # Who may read it may have changed since its reading began.
    container.refresh_from_db(fields=["visibility", "audience", "name"])
    above, others = _around(container)
    for name, data in _named(container.name, attachments):
        if above >= DEEPEST:
            done.refused.append(_("%(name)s: files are nested too deep here.") % {"name": name})
        elif others + done.taken >= MOST:
            done.refused.append(_("%(name)s: there are too many files in one.") % {"name": name})
        else:
            try:
                with examined(name, ContentFile(data, name=name)) as incoming:
                    _take(container, incoming, done, kept)
            except UploadRefused as error:
                done.refused.append(str(error))
    for gone in container.parts.filter(trashed_at=None).exclude(pk__in=kept):
        family_remove(gone)
    return done


def _take(container: Document, incoming: Incoming, done: Members, kept: set[uuid.UUID]) -> None:
    """Find or make the document that stands for these bytes in the container."""
    # The same bytes that other people read are another document: neither tells of the other.
    same = DocumentVersion.objects.in_workspace(container.workspace).filter(
        sha256=incoming.sha256, document__audience=container.audience
    )
    read = same.exclude(state__in=UNREAD)
    mine = container.parts.exclude(pk__in=kept)
    member = mine.filter(trashed_at=None, versions__in=read).first()
    if member is not None:
        if member.name != incoming.name:
            document_rename(document=member, name=incoming.name)
        done.taken += 1
        kept.add(member.pk)
        return
    # A person has put this very file into the trash: there it stays.
    if mine.filter(trashed_at__isnull=False, versions__in=same).exists():
        return
    if read.filter(document__trashed_at=None).exists():
        done.shared[incoming.sha256] = incoming.name
        return
    member = mine.filter(trashed_at=None, name=incoming.name).first()
    if member is None:
        member = Document.objects.create(
            workspace=container.workspace,
            name=free_name(container.workspace_id, incoming.name, audience=container.audience),
            audience=container.audience,
            uploaded_by=container.uploaded_by,
            parent=container,
        )
        audience_begin(document=member, audience=audience_of(container))
    version_add(document=member, incoming=incoming)
    done.taken += 1
    kept.add(member.pk)


def _named(container: str, attachments: Iterable[Attachment]) -> Iterator[tuple[str, bytes]]:
    """Each attachment under a name of its own: mails hold several `image001.png`."""
    seen: set[str] = set()
    for attachment in attachments:
        plain = member_name(container, attachment.name)
        name, number = plain, 1
        while name in seen:
            number += 1
            name = numbered(plain, number)
        seen.add(name)
        yield name, attachment.data


def _around(container: Document) -> tuple[int, int]:
    """How many containers lie around this one, and how many files they hold beside its own."""
    root, above = container, 0
    while root.parent is not None:
        root, above = root.parent, above + 1
    return above, len(family(root)) - len(family(container))
