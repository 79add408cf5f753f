"""`manage.py reroute --workspace SLUG [--preview] [--undo]`: decide the routes of stored passages anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from corpus.management.people import people_arguments, people_found
from corpus.reroute_models import Reroute
from corpus.rerouting import (
    RerouteRefused,
    reroute_preview,
    reroute_queue,
    reroute_run,
    reroute_undo,
)
from engines.errors import EngineError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from teams.models import User, Workspace


class Command(BaseCommand):
    help = "Decide the routes of a workspace's passages anew, from their kept vectors."

    def add_arguments(self, parser: ArgumentParser) -> None:
        people_arguments(parser)
        parser.add_argument("--reason", default="by command")
        parser.add_argument("--preview", action="store_true", help="say what would move")
        parser.add_argument("--undo", action="store_true", help="put back what the last job did")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace, user = people_found(options)
        try:
            result = self._result(workspace, user, options)
        except (RerouteRefused, EngineError, PermissionDenied) as error:
            raise CommandError(str(error)) from error
        self.stdout.write("RESULT " + json.dumps(result))

    def _result(self, workspace: Workspace, user: User, options: dict[str, Any]) -> dict[str, Any]:
        if options["preview"]:
            preview = reroute_preview(workspace, user)
            moves = {f"{before} → {after}": n for (before, after), n in preview.moves.items()}
            return {"total": preview.total, "moves": moves, "foreign": preview.foreign}
        if options["undo"]:
            last = Reroute.objects.visible_to(user).in_workspace(workspace).first()
            if last is None:
                raise CommandError("No routes were decided anew here.")
            job = reroute_undo(last, user)
        else:
            job = reroute_queue(workspace, user, options["reason"])
        state = reroute_run(job.pk)
        job.refresh_from_db()
        kept = ("done", "total", "moved", "foreign", "left")
        return {"state": state, **{name: getattr(job, name) for name in kept}}
