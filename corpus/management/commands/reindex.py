"""`manage.py reindex --workspace SLUG`: bring the stored vectors to the embedder in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from corpus.reindex import index_state, reindex
from engines.errors import EngineError
from teams.models import Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Embed the passages of a workspace anew when another embedder is in force."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", default="demo", help="the workspace's slug")
        parser.add_argument(
            "--check", action="store_true", help="say how it stands, change nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}.")
        state = index_state(workspace)
        self.stdout.write(f"In force: {state.identity or 'an embedder that does not answer'}")
        for identity, count in state.counts.items():
            self.stdout.write(f"  {count} passages by {identity}")
        if options["check"] or (state.identity and not state.stale):
            return
        try:
            if not reindex(workspace.pk, report=self._report):
                raise CommandError("Another process is re-indexing this workspace.")
        except EngineError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("The whole workspace is found by the embedder in force.")

    def _report(self, done: int, total: int) -> None:
        self.stdout.write(f"  {done}/{total} ({100 * done // total} %)")
