"""`manage.py evaluate_themes`: are overview questions known, and how long do themes take to make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from corpus.models import Community
from engines.errors import EngineError
from eval import report, themes_run
from eval.workspace import CorpusNotRead, prepare

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Themes of the demo corpus, questions for an overview, and time; a RESULT line at the end."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--data", type=Path, help="folder of public sets: questions and texts")
        parser.add_argument("--passages", type=int, default=10_000, help="made up, for the time")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        data = options["data"]
        if data is not None and not data.is_dir():
            raise CommandError(f"{data} is no folder.")
        try:
            workspace, _user = prepare(reset=False, say=self.stdout.write)
            demo = themes_run.seconds(workspace)
            large = themes_run.made_up(options["passages"], data)
            result = {
                **report.header("themes"),
                **themes_run.recognition(data),
                "demo_passages": workspace.chunks.count(),
                "demo_seconds": demo,
                **{f"large_{name}": value for name, value in large.items()},
            }
        except (EngineError, CorpusNotRead) as error:
            raise CommandError(str(error)) from error
        for theme in Community.objects.filter(workspace=workspace, level=0):
            self.stdout.write(f"{theme.members.count():>5}  {', '.join(theme.terms[:3])}")
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))
