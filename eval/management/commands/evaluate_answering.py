"""`manage.py evaluate_answering`: figures of answering on public sets, one RESULT line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import cache_pairs, claims_run, injections, own_sets, report, screen_run, tatqa_run
from eval.collection import CollectionInvalid
from eval.questions import SetInvalid
from eval.workspace import CorpusNotRead

if TYPE_CHECKING:
    from argparse import ArgumentParser

SUITES = {
    "sets": own_sets.figures,
    "cache": cache_pairs.figures,
    "screen": screen_run.figures,
    "injections": injections.figures,
    "claims": claims_run.figures,
    "tatqa": tatqa_run.figures,
}


class Command(BaseCommand):
    help = "Measure answering on public sets; --only picks one suite."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, required=True, help="folder of the public sets")
        parser.add_argument("--only", choices=sorted(SUITES), help="one suite alone")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        result = report.header("evaluate-answering")
        try:
            for name, suite in SUITES.items():
                if options["only"] in {None, name}:
                    result |= suite(options["data"])
        except (CollectionInvalid, CorpusNotRead, EngineError, SetInvalid) as error:
            raise CommandError(str(error)) from error
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))
