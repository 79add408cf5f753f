"""What leaves for the operator's tools: spans over OTLP, a line for each question, counts for Prometheus."""

from __future__ import annotations

import json
import logging
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client.parser import text_string_to_metric_families

from retrieval.runs import run_execute
from teams.models import Role, User
from telemetry.export import otlp_install, questions
from telemetry.models import Trace
from telemetry.services import trace_begin
from tests.factories import ingest, make_member, make_user, make_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

NOTE = "# Visitors\n\nVisitors wear a yellow badge in the plant of Tomar at all times.\n"
QUESTION = "How are visitors marked in Tomar?"


@pytest.fixture
def lines() -> Iterator[list[str]]:
    held: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            held.append(record.getMessage())

    handler = Keeper()
    questions.addHandler(handler)
    yield held
    questions.removeHandler(handler)


@pytest.mark.django_db
@pytest.mark.parametrize("allowed", [False, True])
def test_each_question_is_one_line_and_its_text_only_where_that_is_allowed(
    settings: Any, lines: list[str], allowed: bool, django_capture_on_commit_callbacks: Any
) -> None:
    settings.LOG_QUESTIONS = allowed
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "visitors.md", NOTE)
    trace = trace_begin(workspace=workspace, user=owner, question=QUESTION, language="en")
    with django_capture_on_commit_callbacks(execute=True):
        run_execute(trace.pk)
    (line,) = [json.loads(text) for text in lines]
    assert (line["trace"], line["state"], line["route"]) == (str(trace.pk), "done", "vectorial")
    assert (line["user"], line["workspace"]) == (owner.pk, str(workspace.pk))
    assert line["duration_ms"] > 0
    assert line["citations"] > 0
    assert line.get("question") == (QUESTION if allowed else None)
    assert "badge" not in "".join(lines)


def test_spans_go_to_the_collector_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    came: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests stay quiet."""

        def do_POST(self) -> None:
            came.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
        provider = TracerProvider()
        assert not otlp_install(provider)
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        assert otlp_install(provider)
        with provider.get_tracer("t").start_as_current_span("ask.screen"):
            pass
        provider.shutdown()
    finally:
        server.shutdown()
        server.server_close()
    assert [path for path, _ in came] == ["/v1/traces"]
    assert b"ask.screen" in came[0][1]


def values(text: str) -> dict[tuple[str, str], float]:
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.django_db
def test_metrics_count_what_is_stored_and_name_nobody(
    settings: Any, client: Client, django_assert_max_num_queries: Any
) -> None:
    settings.METRICS_TOKEN = "scrape-me"
    owner = make_user("somebody")
    workspace = make_workspace(owner, name="Secret team")
    ingest(workspace, owner, "visitors.md", NOTE)
    for state, took, cost in (
        ("done", 200.0, "0.5"),
        ("done", 3000.0, "0.25"),
        ("failed", None, None),
    ):
        Trace.objects.create(
            workspace=workspace,
            user=owner,
            question=QUESTION,
            state=state,
            duration_ms=took,
            tokens_in=10,
            tokens_out=2,
            cost=None if cost is None else Decimal(cost),
        )
    with django_assert_max_num_queries(8):
        reply = client.get(reverse("metrics"), headers={"authorization": "Bearer scrape-me"})
    text = reply.content.decode()
    found = values(text)
    assert found["polyrag_questions_total", "done"] == 2
    assert found["polyrag_questions_total", "failed"] == 1
    assert found["polyrag_tokens_total", "in"] == 30
    assert found["polyrag_cost_total", ""] == 0.75
    assert found["polyrag_question_seconds_bucket", "0.25"] == 1
    assert found["polyrag_question_seconds_bucket", "+Inf"] == 2
    assert found["polyrag_question_seconds_sum", ""] == 3.2
    assert found["polyrag_versions", "ready"] == 1
    for word in ("Secret", "somebody", "visitors", workspace.slug):
        assert word not in text


@pytest.mark.django_db
def test_metrics_are_for_the_operator_and_the_token_alone(settings: Any, client: Client) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    settings.METRICS_TOKEN = ""
    address = reverse("metrics")
    for person in (owner, make_member(workspace, Role.AUDITOR), make_user(), None):
        client.logout()
        if person is not None:
            client.force_login(person)
        for shown in ("", "Bearer ", "Bearer wrong"):
            assert client.get(address, headers={"authorization": shown}).status_code == 401
    settings.METRICS_TOKEN = "scrape-me"
    client.logout()
    assert client.get(address, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get(address, headers={"authorization": "Bearer scrape-me"}).status_code == 200
    client.force_login(User.objects.create_superuser(username="operator", password="x"))
    assert client.get(address).status_code == 200
