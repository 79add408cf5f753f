"""`manage.py bench_admin`: how much longer pages take on a full instance than on an empty one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from eval import bench_admin, report
from eval.admin_rows import PER_DOCUMENT, Sizes

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Open every page of the admin, of audit and of the corpus on an empty and on a full instance, in a "
        "database of its own that is dropped at the end; one RESULT line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        usual = Sizes()
        parser.add_argument("--traces", type=int, default=usual.traces)
        parser.add_argument("--chunks", type=int, default=usual.chunks)
        parser.add_argument("--entries", type=int, default=usual.entries, help="of the audit log")
        parser.add_argument("--quick", action="store_true", help="a small run, in seconds")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        sizes = Sizes(options["traces"], options["chunks"], options["entries"])
        rounds = bench_admin.ROUNDS
        if options["quick"]:
            sizes, rounds = Sizes(2_000, 10 * PER_DOCUMENT, 2_000), 3
        try:
            found = bench_admin.figures(sizes, self.stdout.write, rounds)
        except bench_admin.PageLost as error:
            raise CommandError(str(error)) from error
        result = report.header("bench-admin") | found
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))
