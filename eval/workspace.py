"""The workspace in which evaluations ask: the demo corpus, read by the product's own path."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.ingest import version_read
from corpus.models import DocumentVersion, VersionState
from corpus.services import document_delete, folder_ingest
from engines.registry import embedder
from teams.models import User, Workspace
from teams.services import workspace_create, workspace_delete

if TYPE_CHECKING:
    from collections.abc import Callable

SLUG = "evaluation"
CORPUS = Path(__file__).parent / "corpus"
PATIENCE_SECONDS = 900


class CorpusNotRead(Exception):
    """A document of the evaluation corpus failed; the message says which and why."""


def prepare(*, reset: bool, say: Callable[[str], None]) -> tuple[Workspace, User]:
    """The evaluation workspace with every file of the corpus read by the embedder in force."""
    return folder_read(CORPUS, slug=SLUG, reset=reset, say=say)


def folder_read(
    folder: Path, *, slug: str, reset: bool, say: Callable[[str], None]
) -> tuple[Workspace, User]:
    """A workspace of this slug with every file of `folder`, read by the embedder in force.

    What stands there already is kept, unless `reset` or another embedder asks for it anew. Raises
    CorpusNotRead for a file that cannot be read.
    """
    user, _ = User.objects.get_or_create(username=SLUG, defaults={"is_active": True})
    held = Workspace.objects.filter(slug=slug).first()
    if held is not None and (reset or _other_embedder(held)):
        for document in held.documents.all():
            document_delete(document=document)
        workspace_delete(workspace=held)
        held = None
    workspace = held or workspace_create(name=slug.capitalize(), owner=user, slug=slug)
    for upload in folder_ingest(workspace=workspace, user=user, folder=folder):
        if upload.version.state != VersionState.READY:
            say(f"reading {upload.document.name}")
            _finish(upload.version)
    return workspace, user


def _other_embedder(workspace: Workspace) -> bool:
    chunks = workspace.chunks.exclude(embedder=str(embedder().identity))
    return bool(chunks.exists())


def _finish(version: DocumentVersion) -> None:
    """Read the version here, or wait for the worker that has taken it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        version_read(str(version.pk))
        version.refresh_from_db()
        if version.state == VersionState.READY:
            return
        if version.state == VersionState.FAILED:
            raise CorpusNotRead(f"{version.document.name}: {version.error}")
        time.sleep(1)
    raise CorpusNotRead(f"{version.document.name} was not read in {PATIENCE_SECONDS} s.")
