"""The trash: out of every store at once, back by reading again, gone for good in the end."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from corpus.errors import UploadRefused
from corpus.files import YOUNG_SECONDS, files_sweep
from corpus.ingest import version_read
from corpus.models import Chunk, Document, DocumentVersion
from corpus.selectors import documents_trashed
from corpus.services import document_restore, document_trash, trash_empty, version_retry
from tests.corpus.stores import NOTE, OTHER, by_text, names, read_all, stored
from tests.factories import ingest, make_user, make_workspace, upload

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


def test_a_restored_document_is_read_again_and_found_again(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "notas.md", NOTE)
    before = stored(workspace)
    document_trash(document=document, user=owner)
    assert names(owner, workspace) == []
    assert [row.name for row in documents_trashed(workspace, owner)] == ["notas.md"]
    assert document.versions.get().file.size == len(NOTE.encode())

    document_restore(document=document)
    read_all()

    assert stored(workspace) == before
    assert by_text(workspace, owner)
    assert names(owner, workspace) == ["notas.md"]


def test_a_restored_document_whose_name_is_taken_gets_another(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "notas.md", NOTE)
    document_trash(document=document, user=owner)
    ingest(workspace, owner, "notas.md", OTHER)

    document_restore(document=document)

    assert names(owner, workspace) == ["notas (restored).md", "notas.md"]


def test_bytes_that_came_in_again_are_not_restored_a_second_time(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "notas.md", NOTE)
    document_trash(document=document, user=owner)
    ingest(workspace, owner, "other.md", OTHER)
    ingest(workspace, owner, "other.md", NOTE)

    with pytest.raises(UploadRefused, match=r"here already, as other\.md"):
        document_restore(document=document)
    assert names(owner, workspace) == ["other.md"]


def test_C8_the_bytes_of_a_trashed_document_come_out_of_the_trash(
    owner: User, workspace: Workspace
) -> None:
    document = ingest(workspace, owner, "notas.md", NOTE)
    document_trash(document=document, user=owner)
    done = upload(workspace, owner, "suppliers.md", NOTE)
    read_all()

    assert (done.outcome, done.document) == ("restored", document)
    assert names(owner, workspace) == ["suppliers.md"]
    assert DocumentVersion.objects.count() == 1
    assert by_text(workspace, owner)


def test_the_trash_is_emptied_when_its_time_has_come(
    owner: User, workspace: Workspace, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.TRASH_DAYS = 30
    old, fresh = (ingest(workspace, owner, n, t) for n, t in (("a.md", NOTE), ("b.md", OTHER)))
    for document in (old, fresh):
        document_trash(document=document, user=owner)
    Document.objects.filter(pk=old.pk).update(trashed_at=timezone.now() - timedelta(days=31))
    stored_at = old.versions.get().file.path

    with django_capture_on_commit_callbacks(execute=True):
        assert trash_empty() == 1

    assert list(Document.objects.all()) == [fresh]
    assert not Path(stored_at).exists()


def test_a_document_thrown_away_while_it_waits_is_not_read(
    owner: User, workspace: Workspace
) -> None:
    done = upload(workspace, owner, "notas.md", NOTE)
    document_trash(document=done.document, user=owner)

    assert version_read(str(done.version.pk)) == "leased"
    assert not version_retry(version=done.version)
    assert not Chunk.objects.exists()


def test_files_that_no_version_owns_are_swept_once_they_are_old(
    owner: User, workspace: Workspace, own_files: Path
) -> None:
    kept = Path(ingest(workspace, owner, "a.md", NOTE).versions.get().file.path)
    folder = own_files / str(workspace.pk) / "ab"
    folder.mkdir(parents=True)
    old, young = folder / str(workspace.pk), folder / str(owner.pk).rjust(32, "0")
    past = time.time() - YOUNG_SECONDS - 60
    for path in (old, young):
        path.write_text("left over")
    for path in (old, kept):
        os.utime(path, (past, past))

    assert files_sweep() == 1
    assert not old.exists()
    assert young.exists()
    assert kept.exists()
