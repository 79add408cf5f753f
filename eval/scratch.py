"""A workspace for one measurement, with files read by the product's own path; removed afterwards."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.core.files.base import File

from corpus.ingest import version_read
from corpus.models import DataTable
from corpus.services import document_delete, document_upload
from teams.models import User
from teams.services import workspace_create, workspace_delete

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from teams.models import Workspace


@contextmanager
def scratch_workspace(name: str) -> Iterator[tuple[Workspace, User]]:
    """A new workspace called `name` and a number, with its owner; both go, whatever happens inside."""
    name = f"{name}-{secrets.token_hex(4)}"
    user = User.objects.create(username=name, is_active=True)
    workspace = workspace_create(name=name, owner=user, slug=name)
    try:
        yield workspace, user
    finally:
        for document in workspace.documents.all():
            document_delete(document=document)
        workspace_delete(workspace=workspace)
        user.delete()


def file_loaded(workspace: Workspace, user: User, path: Path) -> list[DataTable]:
    """The tables that a file became; none where it holds none or could not be read."""
    with path.open("rb") as handle:
        content: File[Any] = File(handle, name=path.name)
        done = document_upload(workspace=workspace, user=user, name=path.name, content=content)
    version_read(str(done.version.pk))
    return list(DataTable.objects.filter(version=done.version))
