"""`manage.py vector_index [--workspace SLUG]`: make the indexes that large sets of vectors need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from corpus.vector_index import LEAST, indexes_settle
from engines.errors import EngineError
from teams.models import Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        f"Make an index for each workspace and language of at least {LEAST} passages, and drop those"
        " that nothing needs any more. Searches go on meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", help="the slug of one; all of them when left out")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = None
        if slug := options["workspace"]:
            workspace = Workspace.objects.filter(slug=slug).first()
            if workspace is None:
                raise CommandError(f"There is no workspace {slug}.")
        try:
            if not indexes_settle(workspace=workspace, report=self.stdout.write):
                raise CommandError("Another process is at the indexes.")
        except EngineError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("The indexes are as they should be.")
