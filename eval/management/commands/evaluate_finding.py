"""`manage.py evaluate_finding --data DIR`: public sets of questions and passages, every mode side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import report
from eval.collection import CollectionInvalid
from eval.finding import MODES, SUITES, mixes, suite_figures, summary
from eval.workspace import CorpusNotRead

if TYPE_CHECKING:
    from argparse import ArgumentParser

MIXES = "mixes"


class Command(BaseCommand):
    help = (
        "Measure splitting, routing and finding on public sets; the last line is RESULT and JSON."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [MIXES, *(suite.name for suite in SUITES)]
        parser.add_argument("--data", type=Path, help="folder of the sets; else POLYRAG_BENCH_DIR")
        parser.add_argument("--only", nargs="+", choices=names, default=names)
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        data = options["data"] or Path(os.environ.get("POLYRAG_BENCH_DIR", ""))
        if not options["data"] and not os.environ.get("POLYRAG_BENCH_DIR"):
            raise CommandError("Name the folder of the sets by --data or POLYRAG_BENCH_DIR.")
        try:
            routing = mixes(data, self._quietly) if MIXES in options["only"] else {}
            found = {}
            for suite in SUITES:
                if suite.name in options["only"]:
                    found[suite.name] = suite_figures(data, suite, MODES, self._quietly)
                    self._table(suite.name, found[suite.name])
        except (CollectionInvalid, CorpusNotRead, EngineError) as error:
            raise CommandError(str(error)) from error
        for name, value in routing.items():
            self.stdout.write(f"{name:>18}  {value}")
        result = {**report.header("evaluate-finding"), **routing, **summary(found)}
        result["per_mode"] = found
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))

    def _table(self, name: str, per_mode: dict[str, dict[str, float]]) -> None:
        for mode, row in per_mode.items():
            cells = "  ".join(
                f"{key} {value:.3f}" for key, value in row.items() if key != "questions"
            )
            self.stdout.write(f"{name:>12} {mode:>8}  {cells}")
        self.stdout.flush()

    def _quietly(self, text: str) -> None:
        """Reading a collection says one line per passage; here that would hide the figures."""
