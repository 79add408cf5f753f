"""`manage.py bench_sql`: how long reading a question, guarding a statement and looking a value up take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from eval import bench_sql, report

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Measure text-to-SQL before the database is asked, on a made-up catalogue; one RESULT line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        result = report.header("bench-sql") | bench_sql.figures(self.stdout.write)
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))
