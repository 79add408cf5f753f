"""`manage.py route`: split and route any questions and write the decisions with their numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval.collection import CollectionInvalid, items
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
        try:
            asked = items(options["questions"], "q", "question", "text")
            asker = router(options["workspace"])
            with options["out"].open("w", encoding="utf-8") as out:
                for question in asked:
                    parts = routed(asker, question.text)
                    line = {"_id": question.id, "q": question.text, "parts": parts}
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
        except (CollectionInvalid, EngineError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"{len(asked)} questions: {options['out']}")
