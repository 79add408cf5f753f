"""A watched folder: what happens there happens in the workspace, once files are whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from corpus.models import Document, DocumentVersion, WatchedFile
from corpus.selectors import documents_trashed
from corpus.watching import FolderGone, Watched, is_passing, scan
from teams.models import Role
from tests.corpus.stores import NOTE, OTHER, by_text, names, read_all
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

STEADY = 5.0


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "watched"
    made.mkdir()
    return made


class Watching:
    """A watched folder under a clock of the test's own."""

    def __init__(self, folder: Path, workspace: Workspace, user: User) -> None:
        self.said: list[str] = []
        self.now = 1000.0
        self._parts = (folder, workspace, user)
        self.restart()

    def restart(self) -> None:
        folder, workspace, user = self._parts
        self.watched = Watched(folder, workspace, user, self.said.append, STEADY)

    def look(self, seconds: float = 0.0) -> bool:
        self.now += seconds
        with mock.patch("corpus.watching.time.monotonic", lambda: self.now):
            return self.watched.step()

    def settle(self) -> None:
        """Long enough for everything that lies there to count as whole."""
        self.look()
        for _ in range(10):
            if not self.look(STEADY):
                return
        raise AssertionError("The folder never settles.")


@pytest.fixture
def watching_it(folder: Path, workspace: Workspace, owner: User) -> Watching:
    return Watching(folder, workspace, owner)


def test_files_come_in_by_the_path_of_an_upload(
    watching_it: Watching, folder: Path, workspace: Workspace, owner: User
) -> None:
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "notas.md").write_text(NOTE)
    (folder / "sub" / "deep" / "férias.md").write_text(OTHER)
    watching_it.settle()
    read_all()

    assert names(owner, workspace) == ["notas.md", "sub/deep/férias.md"]
    assert by_text(workspace, owner)
    assert {row.uploaded_by for row in Document.objects.all()} == {owner}
    assert watching_it.said == ["notas.md: new", "sub/deep/férias.md: new"]


def test_C5_a_half_written_file_is_not_taken(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    path = folder / "notas.md"
    for part in ("# Notas\n\n", "## Fornecedores\n\n", "A Argilas Bravas "):
        with path.open("a") as handle:
            handle.write(part)
        assert watching_it.look(STEADY - 1)
    assert not Document.objects.exists()
    with path.open("a") as handle:
        handle.write("fornece o barro à fábrica de Penela.\n")
    watching_it.settle()
    read_all()

    assert DocumentVersion.objects.count() == 1
    assert by_text(workspace, owner)


@pytest.mark.parametrize(
    "name",
    ["~$a.docx", ".a.md", "a.part", "a.CRDOWNLOAD", "a.tmp", "a.md~", ".git/a.md", "x.part/a.md"],
)
def test_C5_files_that_are_only_on_their_way_are_left_alone(
    name: str, watching_it: Watching, folder: Path
) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(NOTE)
    watching_it.settle()

    assert is_passing(name.split("/")[0]) or is_passing(name)
    assert not WatchedFile.objects.exists()


def test_an_edit_replaces(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "notas.md").write_text(NOTE)
    watching_it.settle()
    read_all()
    (folder / "notas.md").write_text(OTHER)
    watching_it.settle()
    read_all()

    assert names(owner, workspace) == ["notas.md"]
    assert not by_text(workspace, owner)
    assert watching_it.said[-1] == "notas.md: replaced"


def test_a_renamed_file_is_renamed_and_not_read_again(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "notas.md").write_text(NOTE)
    watching_it.settle()
    read_all()
    key = Document.objects.get().versions.get().pk
    (folder / "2026").mkdir()
    (folder / "notas.md").rename(folder / "2026" / "suppliers.md")
    watching_it.settle()
    read_all()

    assert names(owner, workspace) == ["2026/suppliers.md"]
    assert Document.objects.get().versions.get().pk == key
    assert WatchedFile.objects.get().path == "2026/suppliers.md"


def test_two_files_that_swap_their_names_swap_them_here_too(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "a.md").write_text(NOTE)
    (folder / "b.md").write_text(OTHER)
    watching_it.settle()
    read_all()
    keys = {row.name: row.pk for row in Document.objects.all()}
    (folder / "a.md").rename(folder / "c.md")
    (folder / "b.md").rename(folder / "a.md")
    (folder / "c.md").rename(folder / "b.md")
    watching_it.settle()
    read_all()

    assert {row.name: row.pk for row in Document.objects.all()} == {
        "a.md": keys["b.md"],
        "b.md": keys["a.md"],
    }


def test_a_deleted_file_goes_to_the_trash_and_comes_back_from_it(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "notas.md").write_text(NOTE)
    watching_it.settle()
    read_all()
    (folder / "notas.md").unlink()
    watching_it.settle()
    assert names(owner, workspace) == []
    assert [row.name for row in documents_trashed(workspace, owner)] == ["notas.md"]
    assert not by_text(workspace, owner)

    (folder / "notas.md").write_text(NOTE)
    watching_it.settle()
    read_all()
    assert watching_it.said[-1] == "notas.md: restored"
    assert by_text(workspace, owner)


def test_saving_by_deleting_first_trashes_nothing(watching_it: Watching, folder: Path) -> None:
    path = folder / "notas.md"
    path.write_text(NOTE)
    watching_it.settle()
    path.unlink()
    watching_it.look(1)
    path.write_text(OTHER)
    watching_it.settle()

    assert watching_it.said == ["notas.md: new", "notas.md: replaced"]


def test_a_copy_is_the_same_document_until_the_last_one_is_deleted(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "a.md").write_text(NOTE)
    (folder / "b.md").write_text(NOTE)
    watching_it.settle()
    assert names(owner, workspace) == ["a.md"]
    (folder / "a.md").unlink()
    watching_it.settle()
    assert names(owner, workspace) == ["b.md"]
    (folder / "b.md").unlink()
    watching_it.settle()
    assert names(owner, workspace) == []


def test_what_a_person_uploaded_is_neither_renamed_nor_trashed(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    ingest(workspace, owner, "mine.md", NOTE)
    (folder / "copy.md").write_text(NOTE)
    watching_it.settle()
    (folder / "copy.md").unlink()
    watching_it.settle()

    assert names(owner, workspace) == ["mine.md"]


def test_a_restart_finds_what_changed_meanwhile(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    for name, text in (("kept.md", NOTE), ("edited.md", OTHER), ("gone.md", "This goes away.\n")):
        (folder / name).write_text(text)
    watching_it.settle()
    before = dict(DocumentVersion.objects.values_list("document__name", "pk"))
    watching_it.said.clear()
    (folder / "edited.md").write_text(OTHER.replace("24", "27"))
    (folder / "gone.md").unlink()
    (folder / "new.md").write_text("This has come in.\n")
    watching_it.restart()
    watching_it.settle()

    assert sorted(watching_it.said) == [
        "edited.md: replaced",
        "gone.md: moved to the trash",
        "new.md: new",
    ]
    after = dict(DocumentVersion.objects.values_list("document__name", "pk"))
    assert after["kept.md"] == before["kept.md"]


def test_a_touched_file_changes_nothing(watching_it: Watching, folder: Path) -> None:
    (folder / "a.md").write_text(NOTE)
    watching_it.settle()
    key = DocumentVersion.objects.get().pk
    os.utime(folder / "a.md", (1, 1))
    watching_it.settle()
    assert DocumentVersion.objects.get().pk == key
    assert not watching_it.look(STEADY)


def test_a_bad_file_is_told_and_kept_and_harms_no_other(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "a.exe").write_bytes(b"MZ\x90\x00\x03")
    (folder / "b.md").write_bytes(b"")
    (folder / ("x" * 200 + "a")).mkdir()
    (folder / ("x" * 200 + "a") / ("y" * 200 + ".md")).write_text(OTHER)
    (folder / "z.md").write_text(NOTE)
    os.mkfifo(folder / "pipe.md")
    watching_it.settle()

    assert names(owner, workspace) == ["z.md"]
    errors = dict(WatchedFile.objects.exclude(error="").values_list("path", "error"))
    assert {path[:1] for path in errors} == {"a", "b", "x"}
    assert "Windows program" in errors["a.exe"]
    assert "empty" in errors["b.md"]
    assert [line for line in watching_it.said if "a.exe" in line]

    (folder / "b.md").write_text(OTHER)
    watching_it.settle()
    assert names(owner, workspace) == ["b.md", "z.md"]
    assert not WatchedFile.objects.exclude(error="").filter(path="b.md").exists()


def test_an_edit_that_cannot_be_taken_leaves_the_last_good_version(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "a.md").write_text(NOTE)
    watching_it.settle()
    read_all()
    (folder / "a.md").write_bytes(b"")
    watching_it.settle()
    assert by_text(workspace, owner)
    (folder / "a.md").unlink()
    watching_it.settle()
    assert not by_text(workspace, owner)


def test_links_out_of_the_folder_are_not_followed(
    watching_it: Watching, folder: Path, tmp_path: Path, owner: User, workspace: Workspace
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(NOTE)
    (folder / "inside.md").write_text(OTHER)
    (folder / "file.md").symlink_to(outside / "secret.md")
    (folder / "folder").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "broken.md").symlink_to(folder / "not there.md")
    (folder / "same.md").symlink_to(folder / "inside.md")

    assert set(scan(folder.resolve())) == {"inside.md", "same.md"}
    watching_it.settle()
    assert names(owner, workspace) == ["inside.md"]


def test_nothing_is_trashed_when_the_whole_folder_is_away(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    (folder / "a.md").write_text(NOTE)
    watching_it.settle()
    aside = folder.rename(folder.parent / "aside")
    for _ in range(3):
        with pytest.raises(FolderGone):
            watching_it.look(STEADY)
    aside.rename(folder)
    watching_it.settle()

    assert names(owner, workspace) == ["a.md"]
    assert watching_it.said == ["a.md: new"]


def test_who_may_not_upload_is_told_so(folder: Path, workspace: Workspace) -> None:
    watching_it = Watching(folder, workspace, make_member(workspace, Role.READER))
    (folder / "a.md").write_text(NOTE)
    watching_it.settle()

    assert not Document.objects.exists()
    assert "may not upload" in WatchedFile.objects.get().error


def test_what_a_person_put_into_the_trash_stays_there(
    watching_it: Watching, folder: Path, owner: User, workspace: Workspace
) -> None:
    from corpus.services import document_trash

    (folder / "a.md").write_text(NOTE)
    watching_it.settle()
    document_trash(document=Document.objects.get(), user=owner)
    watching_it.restart()
    watching_it.settle()

    assert names(owner, workspace) == []


def test_a_name_that_is_no_text_is_left_out(watching_it: Watching, folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.md")).write_text(NOTE)
    (folder / "a.md").write_text(OTHER)
    watching_it.settle()
    assert [row.path for row in WatchedFile.objects.all()] == ["a.md"]
