"""`manage.py evaluate --set NAME`: ask a set, print its figures, end with one RESULT line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import questions, report
from eval.run import Scored, figures, score
from eval.workspace import CorpusNotRead, prepare

if TYPE_CHECKING:
    from argparse import ArgumentParser

SHOWN = ("router", "r1", "r5", "mrr", "empty", "facts", "facts_en", "facts_pt", "compound_routes")


class Command(BaseCommand):
    help = "Ask a question set in the evaluation workspace and print router, ranking and facts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--set", dest="name", required=True)
        parser.add_argument("--data", type=Path, default=questions.SETS, help="folder of the sets")
        parser.add_argument("--reset", action="store_true", help="read the corpus anew first")
        parser.add_argument("--json", type=Path, help="write figures and every answer here")
        parser.add_argument("--failures", action="store_true", help="print what went wrong")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = questions.read(options["name"], options["data"])
            workspace, user = prepare(reset=options["reset"], say=self.stdout.write)
            scored = [score(workspace, user, question) for question in asked]
        except (questions.SetInvalid, CorpusNotRead, EngineError) as error:
            raise CommandError(str(error)) from error
        found = figures(scored)
        if options["failures"]:
            self._failures(scored)
        for name in SHOWN:
            if found[name] is not None:
                self.stdout.write(f"{name:>16}  {found[name]:.3f}")
        documents = workspace.documents.count()
        result = {**report.header(f"evaluate-{options['name']}"), **found}
        result["sizes"] |= {"documents": documents, "chunks": workspace.chunks.count()}
        report.write(options["json"], result, [row.as_json() for row in scored])
        self.stdout.write(report.line(result))

    def _failures(self, scored: list[Scored]) -> None:
        for row in scored:
            wrong_refusal = row.refused == row.question.answerable
            if row.routed and row.facts is not False and not wrong_refusal and row.r5 in {None, 1}:
                continue
            kinds = [
                name
                for name, bad in (
                    ("route", not row.routed and row.question.answerable),
                    ("facts", row.facts is False),
                    ("refusal", wrong_refusal),
                    ("r5", row.r5 is not None and row.r5 < 1),
                )
                if bad
            ]
            if not kinds:
                continue
            self.stdout.write(f"\n{row.question.id} [{', '.join(kinds)}] {row.question.text}")
            self.stdout.write(f"  wanted {row.question.routes} {row.question.facts}")
            for part in row.parts:
                self.stdout.write(f"  {part['route']} by {part['stage']}: {part['reason']}")
                self.stdout.write(f"  store {part['store']} {part['note']}")
            self.stdout.write(f"  {row.answer}")
