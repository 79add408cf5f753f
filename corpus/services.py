"""The doors of the room's writes. What stands behind each is a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.files.base import File

from corpus.jobs import changed, version_queue
from corpus.removal import VERSIONS_REMOVED
from corpus.trash import document_delete, document_restore, document_trash, trash_empty
from corpus.uploads import Upload, document_upload
from corpus.versions import version_cancel, version_reread, version_retry

if TYPE_CHECKING:
    from pathlib import Path

    from teams.models import User, Workspace

__all__ = [
    "VERSIONS_REMOVED",
    "Upload",
    "changed",
    "document_delete",
    "document_restore",
    "document_trash",
    "document_upload",
    "folder_ingest",
    "trash_empty",
    "version_cancel",
    "version_queue",
    "version_reread",
    "version_retry",
]


def folder_ingest(*, workspace: Workspace, user: User, folder: Path) -> list[Upload]:
    """Upload every file of a folder, in the order of names. Raises UploadRefused on the first bad one."""
    uploads = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            with path.open("rb") as handle:
                uploads.append(
                    document_upload(
                        workspace=workspace,
                        user=user,
                        name=path.name,
                        content=File(handle, name=path.name),
                    )
                )
    return uploads
