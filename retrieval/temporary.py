"""A workspace for one question over a folder: made, read by the product's own path, and removed.

Whoever made one holds a lock of the database on it for as long as the process lives, on a connection of
its own. One whose lock is free was left by a killed process and is removed at the next start. Such a
workspace is told by its slug and by the one person in it, whose name no form accepts.
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import File
from django.db import connections, transaction

from corpus.errors import UploadRefused
from corpus.ingest import version_read
from corpus.models import DocumentVersion, VersionState
from corpus.services import document_delete, document_upload
from corpus.watching import scan
from teams.models import Membership, Role, User, Workspace
from teams.services import membership_set, workspace_create, workspace_delete

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Iterator

    Say = Callable[[str], None]

MARK = re.compile(r"ask-once-(?P<key>[0-9a-f]{16})")
LOCK = 7120
BUSY = (VersionState.QUEUED, VersionState.READING)


@dataclass(frozen=True, slots=True)
class Temporary:
    """A workspace with its one owner; `key` names both."""

    workspace: Workspace
    user: User
    key: str


@contextmanager
def temporary_workspace() -> Iterator[Temporary]:
    """A new workspace that is gone after the block, whatever ends it, unless `workspace_keep` kept it."""
    key = secrets.token_hex(8)
    with _held(key):
        try:
            yield _make(key)
        finally:
            # Looked up again: a signal may have come between its making and its name being known here.
            connections["default"].close_if_unusable_or_obsolete()
            workspace = Workspace.objects.filter(slug=f"ask-once-{key}").first()
            if workspace is not None and _is_temporary(workspace.pk, key):
                temporary_remove(workspace)


def leftovers_remove() -> int:
    """Remove temporary workspaces whose process is gone. Gives how many there were."""
    count = 0
    for workspace in Workspace.objects.filter(slug__startswith="ask-once-"):
        found = MARK.fullmatch(workspace.slug)
        if found is None or not _is_temporary(workspace.pk, found["key"]):
            continue
        with _held(found["key"]) as free:
            if free:
                temporary_remove(workspace)
                count += 1
    return count


def folder_read(made: Temporary, folder: Path, say: Say) -> int:
    """Read every file below the folder, with what is inside it; gives how many documents are ready.

    `say` is told each step, and of each file that cannot be read why. Raises EngineError without an
    embedder and FolderGone for a folder that cannot be listed.
    """
    for name in sorted(scan(folder.resolve())):
        with (folder / name).open("rb") as handle:
            content: File[Any] = File(handle, name=name)
            try:
                document_upload(
                    workspace=made.workspace,
                    user=made.user,
                    name=name,
                    content=content,
                    folders=True,
                )
            except UploadRefused as error:
                say(f"{name}: {error}")
                continue
        # A container queues the files inside it, which are read like any other.
        while (version := _waiting(made.workspace)) is not None:
            _version_read(version, say)
    return int(_versions(made.workspace).filter(state=VersionState.READY).count())


def workspace_keep(made: Temporary, *, name: str, owner: User | None) -> str:
    """Keep the workspace for good, under another slug, `owner` as its owner too. Gives the slug."""
    slug = f"asked-{made.key}"
    with transaction.atomic():
        Workspace.objects.filter(pk=made.workspace.pk).update(slug=slug, name=name[:120])
        if owner is not None:
            membership_set(workspace=made.workspace, user=owner, role=Role.OWNER)
    return slug


def temporary_remove(workspace: Workspace) -> None:
    """Take away the workspace with its rows, schema, files, waiting jobs and its one person."""
    people = list(
        User.objects.filter(memberships__workspace=workspace, username__startswith="ask:")
    )
    keys = {str(workspace.pk), *map(str, _versions(workspace).values_list("pk", flat=True))}
    for key in list(workspace.documents.values_list("pk", flat=True)):
        # A member goes with its container.
        document = workspace.documents.filter(pk=key).first()
        if document is not None:
            document_delete(document=document)
    folder = Path(settings.MEDIA_ROOT) / str(workspace.pk)
    workspace_delete(workspace=workspace)
    for person in people:
        person.delete()
    shutil.rmtree(folder, ignore_errors=True)
    _jobs_forget(keys)


def _make(key: str) -> Temporary:
    with transaction.atomic():
        user = User(username=_person(key), is_active=True)
        user.set_unusable_password()
        user.save()
        slug = f"ask-once-{key}"
        return Temporary(workspace_create(name=slug, owner=user, slug=slug), user, key)


def _person(key: str) -> str:
    """A colon stands in no name that a form or a sign-in service lets through."""
    return f"ask:{key}"


def _is_temporary(workspace_id: uuid.UUID, key: str) -> bool:
    rows = Membership.objects.filter(workspace=workspace_id)
    named = rows.filter(user__username=_person(key), workspace__slug=f"ask-once-{key}").exists()
    return named and rows.count() == 1


@contextmanager
def _held(key: str) -> Iterator[bool]:
    """Whether this process now holds the lock of `key`, till the block or the process ends."""
    apart = connections.create_connection("default")
    try:
        with apart.cursor() as cursor:
            number = int.from_bytes(bytes.fromhex(key)[:4], signed=True)
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [LOCK, number])
            row = cursor.fetchone()
        yield bool(row and row[0])
    finally:
        apart.close()


def _versions(workspace: Workspace) -> Any:
    return DocumentVersion.objects.filter(document__workspace=workspace)


def _waiting(workspace: Workspace) -> DocumentVersion | None:
    rows = _versions(workspace).filter(state__in=BUSY).select_related("document")
    found: DocumentVersion | None = rows.order_by("created_at").first()
    return found


def _version_read(version: DocumentVersion, say: Say) -> None:
    """Read it here, or wait for the worker that has taken it."""
    name, told = version.document.name, ""

    def report(at: DocumentVersion) -> None:
        nonlocal told
        line = f"{name}: {at.step} {at.done}/{at.total}" if at.total else f"{name}: {at.step}"
        if line != told:
            say(line)
            told = line

    while version_read(str(version.pk), report=report) == "leased":
        version.refresh_from_db()
        if version.state not in BUSY:
            break
        time.sleep(0.2)
    version.refresh_from_db()
    if version.state != VersionState.READY:
        say(f"{name}: {version.error or version.state}")


def _jobs_forget(keys: set[str]) -> None:
    """Take back the jobs that name one of these keys, where they wait in the database."""
    from django.core.signing import BadSignature
    from django_q.models import OrmQ

    for row in OrmQ.objects.all():
        try:
            args = row.task["args"]
        except BadSignature:
            continue  # queued under another secret key: it is none of ours
        if not keys.isdisjoint(map(str, args)):
            row.delete()
