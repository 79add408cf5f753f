"""`manage.py benchmark`: server time of pages and questions, from the product's own spans."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.test import Client
from django.urls import reverse

from engines.errors import EngineError
from engines.registry import embedder
from eval import questions, report
from eval.workspace import CorpusNotRead, prepare
from retrieval.models import CachedAnswer
from retrieval.runs import run_execute
from telemetry.models import Span, Trace
from telemetry.names import SpanName
from telemetry.services import trace_begin

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from teams.models import User, Workspace

VIEWS = 20
SERVED = re.compile(r"is running\.\S* \(([\d.]+) s\)")


class Command(BaseCommand):
    help = "Measure page views and questions on the demo corpus; --start also a warm start of the demo."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--questions", type=int, default=40, help="how many of the golden set")
        parser.add_argument("--start", action="store_true", help="start and stop the demo as well")
        parser.add_argument("--json", type=Path, help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        settings.EMBEDDING_CACHE_DIR = ""
        try:
            workspace, user = prepare(reset=False, say=self.stdout.write)
            asked = questions.read("golden")[: options["questions"]]
            embedder().queries(["warm"])
            traces = [self._ask(workspace, user, question.text) for question in asked]
        except (questions.SetInvalid, CorpusNotRead, EngineError) as error:
            raise CommandError(str(error)) from error
        result = {
            **report.header("benchmark"),
            **self._questions(traces),
            "pages_ms": self._pages(user, traces[0]),
            "sizes": {"questions": len(traces), "chunks": workspace.chunks.count()},
        }
        result["page_ms_p50"] = max(result["pages_ms"].values())
        if options["start"]:
            result["start_s"] = self._start()
        report.write(options["json"], result, [])
        self.stdout.write(report.line(result))

    def _ask(self, workspace: Workspace, user: User, question: str) -> Trace:
        CachedAnswer.objects.in_workspace(workspace).delete()
        trace = trace_begin(workspace=workspace, user=user, question=question, language="")
        run_execute(trace.pk)
        trace.refresh_from_db()
        return trace

    def _questions(self, traces: list[Trace]) -> dict[str, Any]:
        """Medians over the questions of the whole, the embedding, and their ratio."""
        spans = Span.objects.filter(trace__in=traces)
        whole = dict(spans.filter(name=SpanName.ASK).values_list("trace_id", "duration_ms"))
        embedded: dict[Any, float] = {}
        for key, spent in spans.filter(name=SpanName.EMBED).values_list("trace_id", "duration_ms"):
            embedded[key] = embedded.get(key, 0.0) + spent
        by_name: dict[str, list[float]] = {}
        for name, spent in spans.values_list("name", "duration_ms"):
            by_name.setdefault(name, []).append(spent)
        return {
            "question_ms_p50": round(median(whole.values()), 2),
            "embedding_ms_p50": round(median(embedded.values()), 2),
            "question_to_embedding_p50": round(
                median(whole[key] / embedded[key] for key in whole), 3
            ),
            "spans_ms_p50": {name: round(median(held), 2) for name, held in by_name.items()},
        }

    def _pages(self, user: User, trace: Trace) -> dict[str, float]:
        """Median server time of each page, all middleware included, without the network."""
        client = Client(headers={"host": "localhost"})
        client.force_login(user)
        paths = {
            "chat": reverse("chat"),
            "run": reverse("chat-run", args=[trace.pk]),
            "corpus": reverse("corpus"),
            "telemetry": reverse("telemetry"),
            "trace": reverse("trace", args=[trace.pk]),
        }
        return {name: self._view(client, path) for name, path in paths.items()}

    def _view(self, client: Client, path: str) -> float:
        spent = []
        for _ in range(VIEWS):
            began = time.perf_counter()
            reply = client.get(path)
            spent.append((time.perf_counter() - began) * 1000)
            if reply.status_code != 200:
                raise CommandError(f"{path} answered {reply.status_code}.")
        return round(median(spent), 2)

    def _start(self) -> float:
        """Seconds to a served page of a warm start of the demo, as the demo itself says."""
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "demo", "--check"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        found = SERVED.search(done.stdout)
        if done.returncode or found is None:
            raise CommandError(f"The demo did not start: {done.stdout[-500:]} {done.stderr[-500:]}")
        return float(found.group(1))
