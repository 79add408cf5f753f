"""`manage.py bench_finding`: the speed of routing, retrieval, filtered vectors and the graph's walk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from engines.errors import EngineError
from engines.registry import embedder
from eval import bench_finding, report

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Measure the speed of finding on made-up data that is removed again; igraph is optional."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--chunks", type=int, default=200_000, help="in ten workspaces")
        parser.add_argument("--passages", type=int, default=10_000, help="of the hybrid search")
        parser.add_argument("--nodes", type=int, default=100_000, help="of the graph")
        parser.add_argument("--quick", action="store_true", help="a small run, in seconds")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        settings.EMBEDDING_CACHE_DIR = ""
        quick = options["quick"]
        chunks, passages, nodes = (
            (2_000, 200, 6_000)
            if quick
            else (options["chunks"], options["passages"], options["nodes"])
        )
        asked = list(bench_finding.QUESTIONS)
        try:
            vectors = embedder().queries(asked)
            spent = bench_finding.milliseconds(lambda text: embedder().queries([text]), asked)
        except EngineError as error:
            raise CommandError(str(error)) from error
        result = {
            **report.header("bench-finding"),
            "embedding_ms": spent,
            **bench_finding.routing_figures(vectors, spent),
            **bench_finding.retrieval_figures(vectors, spent, passages),
            **bench_finding.graph_figures(nodes),
            **bench_finding.rights_figures(chunks),
        }
        for name, value in result.items():
            if isinstance(value, (int, float)):
                self.stdout.write(f"{name:>24}  {value:.4g}")
        if result["ppr_vs_igraph"] is None:
            self.stdout.write("igraph is not installed: ppr_vs_igraph is null.")
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))
