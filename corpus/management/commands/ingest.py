"""`manage.py ingest PATH… --workspace SLUG --user NAME`: the same path as an upload, read at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.files.base import File
from django.core.management.base import BaseCommand, CommandError

from corpus import ingest
from corpus.errors import UploadRefused
from corpus.models import DocumentVersion, VersionState
from corpus.services import document_upload
from teams.models import User, Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator


class Command(BaseCommand):
    help = "Read files or folders into a workspace, with progress."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path)
        parser.add_argument("--workspace", default="demo", help="the workspace's slug")
        parser.add_argument("--user", default="demo", help="who uploads")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        user = User.objects.filter(username=options["user"]).first()
        if workspace is None or user is None:
            raise CommandError("There is no such workspace or user. `make demo` makes both.")
        failed = 0
        for path in self._files(options["paths"]):
            failed += not self._one(path, workspace, user)
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

    def _one(self, path: Path, workspace: Workspace, user: User) -> bool:
        try:
            with path.open("rb") as handle:
                content: File[Any] = File(handle, name=path.name)
                upload = document_upload(
                    workspace=workspace, user=user, name=path.name, content=content
                )
        except UploadRefused as error:
            self.stderr.write(f"{path.name}: {error}")
            return False
        if upload.outcome == "unchanged" and upload.version.state == VersionState.READY:
            self.stdout.write(f"{path.name}: unchanged")
            return True
        ingest.version_read(str(upload.version.pk), report=self._progress)
        upload.version.refresh_from_db()
        coverage = upload.version.coverage
        said = f"{coverage.get('chunks', 0)} passages, {coverage.get('tables', 0)} tables"
        self.stdout.write(f"{path.name}: {upload.version.state}, {upload.version.error or said}")
        return upload.version.state != VersionState.FAILED

    def _progress(self, version: DocumentVersion) -> None:
        self.stdout.write(f"  {version.step} {version.done}/{version.total}")
