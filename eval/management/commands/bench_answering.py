"""`manage.py bench_answering`: how soon a person sees something, and how soon a kept answer is found."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import bench_cache, questions, report
from eval.bench_serving import NotServed, serving_figures
from eval.workspace import CorpusNotRead, prepare

if TYPE_CHECKING:
    from argparse import ArgumentParser

SUITES = ("serving", "cache")


class Command(BaseCommand):
    help = (
        "Measure answering over HTTP and sockets with a model server of known pace, and the cache."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", choices=SUITES, help="one suite alone")
        parser.add_argument("--people", type=int, default=50, help="who ask at once")
        parser.add_argument("--questions", type=int, default=30, help="how many of the golden set")
        parser.add_argument("--entries", type=int, default=100_000, help="kept answers")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        figures: dict[str, Any] = {}
        try:
            if options["only"] in {None, "serving"}:
                figures |= self._serving(options["people"], options["questions"])
            if options["only"] in {None, "cache"}:
                figures |= bench_cache.cache_figures(options["entries"])
        except (questions.SetInvalid, CorpusNotRead, EngineError, NotServed) as error:
            raise CommandError(str(error)) from error
        result = {**report.header("bench-answering"), **figures}
        for name, value in figures.items():
            shown = f"{value:.4g}" if isinstance(value, float) else value
            self.stdout.write(f"{name:>32}  {shown}")
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))

    def _serving(self, people: int, count: int) -> dict[str, Any]:
        workspace, _ = prepare(reset=False, say=self.stdout.write)
        held = [item.text for item in questions.read("golden") if item.answerable]
        # From all over the set, which stands in the order of its routes.
        asked = held[:: max(1, len(held) // count)][:count]
        with tempfile.TemporaryDirectory() as folder:
            return serving_figures(workspace, asked, people=people, folder=Path(folder))
