"""`manage.py replay --workspace SLUG --user NAME [--last 50]`: stored questions asked again."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from corpus.management.people import people_arguments, people_found
from engines.errors import EngineError
from retrieval.errors import QuestionRefused
from retrieval.replay import ENDED, replay
from teams.access import Right, holds
from telemetry.models import Trace

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Ask the last stored questions of a workspace again under today's anchors, thresholds and corpus, in "
        "the rights of --user, and say what differs. Nothing is stored. The last line is RESULT and JSON."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        people_arguments(parser)
        parser.add_argument("--last", type=int, default=50, help="how many of the newest questions")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace, user = people_found(options)
        if options["last"] < 1:
            raise CommandError("--last must be at least 1")
        if not holds(user, workspace, Right.ASK):
            raise CommandError(f"{user} may not ask in {workspace}")
        rows = Trace.objects.visible_to(user).in_workspace(workspace).filter(state__in=ENDED)
        counts: Counter[str] = Counter()
        seen = exact = failed = 0
        for trace in rows.select_related("workspace").order_by("-started_at")[: options["last"]]:
            seen += 1
            try:
                found = replay(trace=trace, user=user)
            except (EngineError, QuestionRefused, PermissionDenied) as error:
                failed += 1
                self.stdout.write(f"{trace.pk} failed: {error}")
                continue
            exact += found.exact
            counts.update({difference.what for difference in found.differences})
            for difference in found.differences:
                if difference.what in ("route", "stage"):
                    told = f"{difference.what} {difference.before} → {difference.now}"
                    self.stdout.write(f"{trace.pk} {told}: {trace.question[:80]}")
        result = {"replayed": seen, "exact": exact, "failed": failed, "differ": dict(counts)}
        self.stdout.write("RESULT " + json.dumps(result))
