"""`manage.py route`: split and route any questions and write the decisions with their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval.collection import CollectionInvalid, items
from eval.report import lines_write, writable
from eval.routing_run import routed, router

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Route every question of a JSON Lines file as the product would, without searching."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--questions", type=Path, required=True, help="JSON Lines: q or text")
        parser.add_argument("--out", type=Path, required=True, help="one line per question")
        parser.add_argument(
            "--workspace", help="whose anchors and stores to ask; else an empty one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        writable(options["out"])
        try:
            asked = items(options["questions"], "q", "question", "text")
            asker = router(options["workspace"])
            lines = [
                {"_id": question.id, "q": question.text, "parts": routed(asker, question.text)}
                for question in asked
            ]
        except (CollectionInvalid, EngineError) as error:
            raise CommandError(str(error)) from error
        lines_write(options["out"], lines)
        self.stdout.write(f"{len(asked)} questions: {options['out']}")
