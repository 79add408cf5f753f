"""`manage.py ablate`: what each part of the text store's ranking is worth, on development questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from engines.language import detect
from engines.registry import embedder
from eval import questions, report
from eval.metrics import Source, mean, ranks, recall_at
from eval.workspace import CorpusNotRead, prepare
from retrieval.text_store import Ranking, search
from routing.values import VECTORIAL

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from eval.questions import Question
    from teams.models import User, Workspace

SETS = ("golden", "dev_text", "dev_text2")
VARIANTS = {
    "default": Ranking(),
    "vectors only, not centred": Ranking(words=0.0, centred=False),
    "not centred": Ranking(centred=False),
    "vectors only": Ranking(words=0.0),
    "words 0.3": Ranking(words=0.3),
    "words 1.0": Ranking(words=1.0),
}


class Command(BaseCommand):
    help = "Compare variants of the text store's ranking on development questions of text."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = [
                question
                for name in SETS
                for question in questions.read(name)
                if question.answerable and question.routes[0] == VECTORIAL
            ]
            workspace, user = prepare(reset=False, say=self.stdout.write)
            found = {
                name: self._variant(workspace, user, asked, ranking)
                for name, ranking in VARIANTS.items()
            }
        except (questions.SetInvalid, CorpusNotRead, EngineError) as error:
            raise CommandError(str(error)) from error
        for name, row in found.items():
            self.stdout.write(f"{name:>26}  " + "  ".join(f"{k} {v:.3f}" for k, v in row.items()))
        sizes = {"questions": len(asked), "chunks": workspace.chunks.count()}
        result = {**report.header("ablate-text"), "variants": found, "sizes": sizes}
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))

    def _variant(
        self, workspace: Workspace, user: User, asked: list[Question], ranking: Ranking
    ) -> dict[str, float | None]:
        figures: dict[str, list[float]] = {}
        for question in asked:
            found = search(
                workspace=workspace,
                user=user,
                text=question.text,
                vector=embedder().queries([question.text])[0],
                language=detect(question.text),
                ranking=ranking,
            )
            sources = [Source(hit.document, f"{hit.heading_path} {hit.text}") for hit in found.hits]
            at = ranks(sources, question.evidence)
            figures.setdefault(f"r1_{question.language}", []).append(float(1 in at))
            figures.setdefault(f"r5_{question.language}", []).append(recall_at(at, 5))
        return {name: mean(values) for name, values in sorted(figures.items())}
