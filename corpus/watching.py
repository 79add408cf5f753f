"""A folder that is followed: what is added, edited, renamed or deleted there happens here too."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.files.base import File
from django.db import transaction

from corpus.audience import EVERYBODY, audience_of
from corpus.errors import UploadRefused
from corpus.locks import names_lock
from corpus.models import Document, WatchedFile
from corpus.naming import LONGEST, clean_name, document_rename
from corpus.trash import document_trash
from corpus.uploads import document_upload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from teams.models import User, Workspace

    Say = Callable[[str], None]
    Stamp = tuple[int, int]

# What editors, office programs and browsers write beside or before the file itself.
PASSING_STARTS = (".", "~$")
PASSING_ENDS = (".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".swp", "~")


class FolderGone(Exception):
    """The folder is not there, or another disk lies in its place: nothing may be concluded from that."""


def is_passing(name: str) -> bool:
    """Whether a file of this name is only on its way, or no document at all."""
    return name.startswith(PASSING_STARTS) or name.casefold().endswith(PASSING_ENDS)


def scan(folder: Path) -> dict[str, Stamp]:
    """Size in bytes and time of change in ns of every file below `folder`, by its path inside it.

    Links are taken when they end inside the folder; names that are not text are left out. Raises
    FolderGone when the folder cannot be listed.
    """
    if not folder.is_dir():
        raise FolderGone(f"{folder} is not there.")
    found: dict[str, Stamp] = {}
    for path in _files(folder):
        try:
            held = path.stat()
            inside = path.relative_to(folder).as_posix()
            inside.encode()
        except (OSError, UnicodeEncodeError):
            continue
        found[inside] = (held.st_size, held.st_mtime_ns)
    return found


def _files(folder: Path) -> Iterator[Path]:
    for at, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not is_passing(name))
        for name in sorted(names):
            path = Path(at, name)
            if is_passing(name) or not path.is_file():
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(folder):
                continue
            yield path


@dataclass(slots=True)
class Watched:
    """A folder, where its files go, and what was seen of those that are not settled yet.

    A file counts as whole when its size and time have not changed for `steady` seconds; one that is
    missing counts as deleted after as long, since many programs save by deleting first.
    """

    folder: Path
    workspace: Workspace
    user: User
    say: Say
    steady: float = 2.0
    _waiting: dict[str, tuple[Stamp | None, float]] = field(default_factory=dict)
    _device: int = 0

    def __post_init__(self) -> None:
        self.folder = self.folder.resolve()
        if self.folder.is_dir():
            self._device = self.folder.stat().st_dev
        # What failed before may have been mended since, without a change of size or time.
        self._rows().exclude(error="").update(modified_ns=0)

    def _rows(self) -> Any:
        return WatchedFile.objects.in_workspace(self.workspace).filter(folder=str(self.folder))

    def step(self) -> bool:
        """Look at the folder once and do what is due. Gives whether something still has to settle.

        Raises FolderGone when the folder is not there.
        """
        seen = scan(self.folder)
        if self.folder.stat().st_dev != self._device:
            raise FolderGone(f"Another disk lies at {self.folder} now.")
        rows = {row.path: row for row in self._rows()}
        changed = {path: stamp for path, stamp in seen.items() if _stamp(rows.get(path)) != stamp}
        missing = [path for path in rows if path not in seen]
        due = self._settled({**changed, **dict.fromkeys(missing)})
        touched = [rows[path].document_id for path in due if path in rows]
        ours = {row.document_id for row in rows.values()}
        for path in due:
            if path in changed:
                row = rows.get(path)
                self._take(path, changed[path], ours, row.document if row else None)
        sizes = {changed[path][0] for path in self._waiting if path in changed}
        for path in due:
            # A renamed file is taken in under its new name before the old name is given up.
            if path not in changed and rows[path].size not in sizes:
                rows[path].delete()
        self._leave([key for key in touched if key is not None])
        self._rename()
        return bool(self._waiting)

    def _settled(self, found: dict[str, Stamp | None]) -> list[str]:
        """Those that have not changed for long enough; the others are remembered."""
        now = time.monotonic()
        before = self._waiting
        self._waiting = {
            path: before[path] if path in before and before[path][0] == stamp else (stamp, now)
            for path, stamp in found.items()
        }
        due = [path for path, (_, since) in self._waiting.items() if now - since >= self.steady]
        for path in due:
            del self._waiting[path]
        return due

    def _take(self, path: str, stamp: Stamp, ours: set[Any], before: Document | None) -> None:
        """Take a file in as an upload does. What is wrong with it is kept on its row and said.

        `ours` are the keys of documents that came in from here. Whoever may read what the file was
        `before`, and nobody else, may read what it is now.
        """
        name, error, document = clean_name(path, folders=True), "", None
        try:
            if len(path) > LONGEST:
                raise UploadRefused(f"Its name with folders is longer than {LONGEST} signs.")
            with transaction.atomic(), (self.folder / path).open("rb") as handle:
                done = document_upload(
                    workspace=self.workspace,
                    user=self.user,
                    name=name,
                    content=File(handle, name=name),
                    folders=True,
                    audience=audience_of(before) if before is not None else EVERYBODY,
                )
                # What somebody else brought stays theirs: it is not renamed or trashed from here.
                if done.outcome != "unchanged" or done.document.pk in ours:
                    document = done.document
                    ours.add(document.pk)
                self._keep(path, stamp, document=document, error="")
                self.say(f"{path}: {done.outcome}")
            return
        except UploadRefused as refusal:
            error = str(refusal)
        except PermissionDenied as refusal:
            error = f"{self.user} may not upload here. {refusal}"
        except FileNotFoundError:
            return
        except OSError as refusal:
            error = f"It cannot be read: {refusal.strerror}."
        self.say(f"{path}: {error}")
        if len(path) <= 500:
            self._keep(path, stamp, error=error)

    def _keep(self, path: str, stamp: Stamp, **values: Any) -> None:
        size, modified = stamp
        WatchedFile.objects.update_or_create(
            workspace=self.workspace,
            folder=str(self.folder),
            path=path,
            defaults={"size": size, "modified_ns": modified, **values},
        )

    def _leave(self, keys: list[Any]) -> None:
        """Documents that no watched file stands for any more go to the trash."""
        alone = Document.objects.filter(pk__in=keys, trashed_at=None)
        held = WatchedFile.objects.filter(document__in=keys).values("document")
        for document in alone.exclude(pk__in=held):
            document_trash(document=document, user=self.user)
            self.say(f"{document.name}: moved to the trash")

    def _rename(self) -> None:
        """Give every document the name of a file that stands for it."""
        names: dict[Any, list[str]] = {}
        for row in self._rows().filter(document__isnull=False, error="").order_by("path"):
            names.setdefault(row.document_id, []).append(clean_name(row.path, folders=True))
        # Twice, since two files may have taken each other's name.
        for _ in range(2):
            for document in Document.objects.filter(pk__in=names, trashed_at=None):
                if document.name not in names[document.pk]:
                    before = document.name
                    with transaction.atomic():
                        names_lock(self.workspace.pk)
                        document_rename(document=document, name=names[document.pk][0])
                    self.say(f"{document.name}: renamed from {before}")


def _stamp(row: WatchedFile | None) -> Stamp | None:
    return None if row is None else (row.size, row.modified_ns)
