"""`manage.py verify_sql --workspace SLUG --user NAME`: ask the verified questions to tables again.

Exit codes: 0 when every verified question gives the same rows, 1 when one does not.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from corpus.management.people import people_arguments, people_found
from retrieval.sql.regression import DIFFERENT, GONE, SAME, SILENT, verified_check
from teams.access import Right, holds

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Ask the questions to tables that were found right again, and say which changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        people_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        workspace, user = people_found(options)
        if not holds(user, workspace, Right.ASK):
            raise CommandError(f"{user} may not ask in {workspace}.")
        counts: Counter[str] = Counter()
        for checked in verified_check(workspace=workspace, user=user):
            counts[checked.outcome] += 1
            if checked.outcome != SAME:
                self.stdout.write(f"{checked.outcome}: {checked.question}  {checked.why}".rstrip())
        result = {name: counts[name] for name in (SAME, DIFFERENT, SILENT, GONE)}
        self.stdout.write("RESULT " + json.dumps({"verified": counts.total(), **result}))
        if counts.total() != counts[SAME]:
            raise SystemExit(1)
