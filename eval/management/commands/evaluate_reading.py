"""`manage.py evaluate_reading --data DIR`: how public documents and tables are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from eval import report
from eval.page_facts import FactsInvalid
from eval.reading import SUITES

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Measure the reading of public files; the last line is RESULT and JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, help="folder of the sets; else POLYRAG_BENCH_DIR")
        parser.add_argument("--only", nargs="+", choices=list(SUITES), default=list(SUITES))
        parser.add_argument("--json", type=Path, help="write the figures here, file by file")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["data"] and not os.environ.get("POLYRAG_BENCH_DIR"):
            raise CommandError("Name the folder of the sets by --data or POLYRAG_BENCH_DIR.")
        data = options["data"] or Path(os.environ["POLYRAG_BENCH_DIR"])
        result: dict[str, Any] = report.header("evaluate-reading")
        details: list[dict[str, Any]] = []
        for name in options["only"]:
            below, measure = SUITES[name]
            if not (data / below).is_dir():
                raise CommandError(f"{data / below} does not exist: {name} cannot be measured.")
            try:
                figures, rows = measure(data / below, self._say)
            except (OSError, FactsInvalid) as error:
                raise CommandError(f"{name}: {error}") from error
            result |= figures
            details += [{"suite": name, **row} for row in rows]
            for key, value in figures.items():
                self.stdout.write(f"{key:>22}  {value}")
        report.write(options["json"], result, details)
        self.stdout.write(report.line(result))

    def _say(self, text: str) -> None:
        self.stdout.write(f"  {text}")
        self.stdout.flush()
