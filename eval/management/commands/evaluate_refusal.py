"""`manage.py evaluate_refusal`: is "I don't know" said where nothing answers, and only there?

Without arguments over the demo corpus; with --corpus, --own and --foreign over a collection besides.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import refusal_elsewhere, refusal_run, report
from eval.collection import CollectionInvalid
from eval.questions import SetInvalid
from eval.workspace import CorpusNotRead, prepare
from routing.calibration import in_fit_half

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Ask the development sets and print how often an answer is refused; a RESULT line ends it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--corpus", type=Path, help="a collection besides: its passages")
        parser.add_argument("--own", type=Path, help="questions that it answers")
        parser.add_argument("--foreign", type=Path, help="questions of another collection")
        parser.add_argument("--failures", action="store_true", help="print those of the fit half")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        besides = [options[name] for name in ("corpus", "own", "foreign")]
        if any(besides) and not all(besides):
            raise CommandError("--corpus, --own and --foreign go together.")
        try:
            if all(besides):
                result = report.header("refusal-elsewhere")
                result |= refusal_elsewhere.figures(*besides)
                report.write(options["json"], result, [])
                self.stdout.write(report.line(result))
                return
            workspace, user = prepare(reset=False, say=self.stdout.write)
            rows = refusal_run.asked(workspace, user)
        except (CollectionInvalid, CorpusNotRead, EngineError, SetInvalid) as error:
            raise CommandError(str(error)) from error
        if options["failures"]:
            self._failures(rows)
        found = refusal_run.figures(rows)
        for half, named in found.items():
            for name, held in named.items():
                span = f"{held['low']:.3f}–{held['high']:.3f}"
                self.stdout.write(f"{half:>9} {name:>8}  {held['true']} of {held['n']}  {span}")
        result = {**report.header("refusal"), **found}
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))

    def _failures(self, rows: list[refusal_run.Refused]) -> None:
        """What went wrong in the half that is fitted on; the other is not looked at."""
        for row in rows:
            wrong = row.refused == row.question.answerable
            if wrong and in_fit_half(row.question.text):
                self.stdout.write(f"{row.question.id} {row.question.text}\n  {row.answer}")
