"""`manage.py predict_sql`: answer questions to tables and write the statements for others to score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval.collection import CollectionInvalid
from eval.report import lines_write, writable
from eval.sql_run import answers, line
from eval.sql_sets import questions

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Ask each question of its database's CSVs in a temporary workspace; write SQL and rows."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--questions", type=Path, required=True, help="JSON Lines: id, language, question, db"
        )
        parser.add_argument(
            "--tables", type=Path, required=True, help="a folder of CSVs for each db, or the CSV"
        )
        parser.add_argument("--out", type=Path, required=True, help="one line per question")

    def handle(self, *args: Any, **options: Any) -> None:
        writable(options["out"])
        try:
            asked = questions(options["questions"])
            found = answers(asked, options["tables"], self._say)
        except (CollectionInvalid, EngineError) as error:
            raise CommandError(str(error)) from error
        lines_write(options["out"], [line(one) for one in found])
        answered = sum(one.table is not None for one in found)
        self.stdout.write(f"{answered} of {len(asked)} questions answered: {options['out']}")

    def _say(self, text: str) -> None:
        self.stdout.write(f"  {text}")
        self.stdout.flush()
