"""`manage.py bench_answering`: how soon a person sees the decision, the first word and a kept answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import questions, report
from eval.bench_serving import NotServed, serving_figures
from eval.workspace import CorpusNotRead, prepare

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Measure answering over HTTP and sockets, with a model server of known pace."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--people", type=int, default=50, help="who ask at once")
        parser.add_argument("--questions", type=int, default=30, help="how many of the golden set")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            workspace, _ = prepare(reset=False, say=self.stdout.write)
            held = [item.text for item in questions.read("golden") if item.answerable]
            # From all over the set, which stands in the order of its routes.
            asked = held[:: max(1, len(held) // options["questions"])][: options["questions"]]
            with tempfile.TemporaryDirectory() as folder:
                figures = serving_figures(
                    workspace, asked, people=options["people"], folder=Path(folder)
                )
        except (questions.SetInvalid, CorpusNotRead, EngineError, NotServed) as error:
            raise CommandError(str(error)) from error
        result = {**report.header("bench-answering"), **figures}
        for name, value in figures.items():
            self.stdout.write(
                f"{name:>32}  {value:.4g}" if isinstance(value, float) else f"{name:>32}  {value}"
            )
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))
