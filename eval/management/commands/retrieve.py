"""`manage.py retrieve`: search any collection in the BEIR layout and write the run for others to score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from engines.registry import embedder
from eval.collection import MODES, CollectionInvalid, items, load
from eval.report import lines_write, writable
from eval.workspace import CorpusNotRead

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Read a corpus.jsonl into a workspace of its own, search it and write the passages found."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--corpus", type=Path, required=True, help="JSON Lines: _id, title, text"
        )
        parser.add_argument("--queries", type=Path, required=True, help="JSON Lines: _id, text")
        parser.add_argument("--mode", choices=MODES, default=MODES[0])
        parser.add_argument("--out", type=Path, required=True, help="one line per question")
        parser.add_argument("--top", type=int, default=10, help="passages per question, 1 to 30")
        parser.add_argument("--reset", action="store_true", help="read the corpus anew first")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["top"] <= 30:
            raise CommandError(f"--top is 1 to 30, not {options['top']}")
        writable(options["out"])
        try:
            asked = items(options["queries"], "text", "question", "q")
            passages = items(options["corpus"], "text")
            held = load(passages, say=self._every_hundredth(), reset=options["reset"])
            vectors = embedder().queries([question.text for question in asked])
            lines = []
            for question, vector in zip(asked, vectors, strict=True):
                found = held.search(question.text, vector, options["mode"], options["top"])
                hits = [{"_id": hit.id, "score": round(hit.score, 6)} for hit in found]
                lines.append({"_id": question.id, "mode": options["mode"], "hits": hits})
        except (CollectionInvalid, CorpusNotRead, EngineError) as error:
            raise CommandError(str(error)) from error
        lines_write(options["out"], lines)
        self.stdout.write(f"{len(asked)} questions over {len(passages)} passages: {options['out']}")

    def _every_hundredth(self) -> Any:
        """A line now and then: a collection has a file for each passage."""
        told = [0]

        def say(text: str) -> None:
            told[0] += 1
            if told[0] % 100 == 1:
                self.stdout.write(f"{text} …")

        return say
