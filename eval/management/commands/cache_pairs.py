"""`manage.py cache_pairs`: would the cache give one question's answer to the other?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from eval import cache_pairs
from eval.collection import CollectionInvalid
from eval.report import lines_write, writable

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Decide for each pair of questions (a, b) as the answer cache does: hit, cosine, reason."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--pairs", type=Path, required=True, help="JSON Lines: a, b")
        parser.add_argument("--out", type=Path, required=True, help="JSON Lines, one per pair")

    def handle(self, *args: Any, **options: Any) -> None:
        writable(options["out"])
        try:
            pairs = cache_pairs.read(options["pairs"])
            made = cache_pairs.decisions(pairs)
        except (CollectionInvalid, EngineError) as error:
            raise CommandError(str(error)) from error
        lines_write(
            options["out"],
            [
                {"a": pair.a, "b": pair.b, "hit": row.hit, "cosine": round(row.cosine, 4)}
                | {"reason": row.reason}
                for pair, row in zip(pairs, made, strict=True)
            ],
        )
        self.stdout.write(f"{sum(row.hit for row in made)} of {len(made)} pairs hit")
