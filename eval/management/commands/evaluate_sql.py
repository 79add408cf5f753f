"""`manage.py evaluate_sql --data DIR`: questions to tables of public sets, one RESULT line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import report, sql_run
from eval.collection import CollectionInvalid

if TYPE_CHECKING:
    from argparse import ArgumentParser

SUITES = ("spider", "web")


class Command(BaseCommand):
    help = "Measure text-to-SQL by what the statements give; the last line is RESULT and JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, help="folder of the sets; else POLYRAG_BENCH_DIR")
        parser.add_argument("--only", nargs="+", choices=SUITES, default=list(SUITES))
        parser.add_argument("--json", type=Path, help="write figures and the fitted half here")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["data"] and not os.environ.get("POLYRAG_BENCH_DIR"):
            raise CommandError("Name the folder of the sets by --data or POLYRAG_BENCH_DIR.")
        data = options["data"] or Path(os.environ["POLYRAG_BENCH_DIR"])
        result: dict[str, Any] = report.header("evaluate-sql")
        try:
            figures, details = sql_run.figures(data, self._say, options["only"])
        except (CollectionInvalid, EngineError) as error:
            raise CommandError(str(error)) from error
        for key, value in figures.items():
            self.stdout.write(f"{key:>32}  {value}")
        report.write(options["json"], result | figures, details)
        self.stdout.write(report.line(result | figures))

    def _say(self, text: str) -> None:
        self.stdout.write(f"  {text}")
        self.stdout.flush()
