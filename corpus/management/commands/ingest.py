"""`manage.py ingest PATH… --workspace SLUG --user NAME`: the same path as an upload, read at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.files.base import File
from django.core.management.base import BaseCommand, CommandError

from corpus.errors import UploadRefused
from corpus.ingest import version_read
from corpus.management.people import (
    people_arguments,
    people_found,
    readers_argument,
    readers_found,
)
from corpus.models import VersionState
from corpus.selectors import progress_of
from corpus.services import document_upload
from corpus.trash import family
from engines.errors import EngineError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from corpus.audience import Audience
    from corpus.models import Document, DocumentVersion
    from teams.models import User, Workspace

STEPS = {"parse": "reading the file", "embed": "passages", "store": "storing"}
BUSY = (VersionState.QUEUED, VersionState.READING)


class Command(BaseCommand):
    help = "Read files or folders into a workspace, with progress."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path)
        people_arguments(parser)
        readers_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        workspace, user = people_found(options)
        audience = readers_found(workspace, user, options["visible_to"] or ())
        failed = 0
        for path in self._files(options["paths"]):
            failed += not self._one(path, workspace, user, audience)
        if failed:
            raise CommandError(f"{failed} files were not read; the reasons stand above.")

    def _files(self, paths: list[Path]) -> Iterator[Path]:
        for path in paths:
            if not path.exists():
                raise CommandError(f"{path} does not exist.")
            if path.is_file():
                yield path
            else:
                found = sorted(p for p in path.rglob("*") if p.is_file())
                yield from (p for p in found if not p.name.startswith("."))

    def _one(self, path: Path, workspace: Workspace, user: User, audience: Audience) -> bool:
        """Take one file in and read it with all that is inside it. Whether all of it was read."""
        try:
            with path.open("rb") as handle:
                content: File[Any] = File(handle, name=path.name)
                upload = document_upload(
                    workspace=workspace,
                    user=user,
                    name=path.name,
                    content=content,
                    audience=audience,
                )
        except UploadRefused as error:
            self.stderr.write(f"{path.name}: {error}")
            return False
        if upload.outcome == "unchanged" and upload.version.state == VersionState.READY:
            self.stdout.write(f"{path.name}: unchanged")
            return True
        good = self._read(upload.version)
        while inside := _waiting(upload.document):
            good = self._read(inside) and good
        return good

    def _read(self, version: DocumentVersion) -> bool:
        """Read a version here, or watch the worker that has taken it. Whether it ended as ready."""
        watch = _Watch(self)
        name = version.document.name
        try:
            while version_read(str(version.pk), report=watch.report) == "leased":
                version.refresh_from_db()
                if version.state not in BUSY:
                    break
                watch.report(version)
                time.sleep(1)
        except EngineError as error:
            raise CommandError(f"{name}: {error}") from error
        version.refresh_from_db()
        coverage = version.coverage
        said = f"{coverage.get('chunks', 0)} passages, {coverage.get('tables', 0)} tables"
        self.stdout.write(f"{name}: {version.state}, {version.error or said}")
        for line in coverage.get("unreadable", ()):
            self.stdout.write(f"  left out: {line}")
        return version.state == VersionState.READY


def _waiting(document: Document) -> DocumentVersion | None:
    """The next file inside the document that nobody has read yet."""
    for row in family(document):
        version: DocumentVersion | None = row.versions.select_related("document").first()
        if row.trashed_at is None and version is not None and version.state in BUSY:
            return version
    return None


class _Watch:
    """Says how far a reading has come, in percent of the step, and how long it still takes."""

    def __init__(self, command: BaseCommand) -> None:
        self._command = command
        self._step, self._first, self._began, self._told = "", 0, 0.0, ""

    def report(self, version: DocumentVersion) -> None:
        at, now = progress_of(version), time.monotonic()
        if at.step != self._step:
            self._step, self._first, self._began = at.step, at.done, now
        text = f"  {STEPS.get(at.step, at.step or 'waiting')}"
        if at.total and at.step == "embed":
            text += f" {at.done}/{at.total} ({at.percent} %{self._left(at.done, at.total, now)})"
        if text != self._told:
            self._command.stdout.write(text)
            self._told = text

    def _left(self, done: int, total: int, now: float) -> str:
        """By the speed of this step so far; nothing before there is one."""
        made = done - self._first
        if not made or done == total:
            return ""
        seconds = (total - done) * (now - self._began) / made
        return f", about {seconds:.0f} s left"
