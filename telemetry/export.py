"""What leaves for an operator's own tools: spans over OTLP, and a line of JSON for each question."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING, Any

from django.conf import settings

from telemetry.accounting import currency

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from telemetry.models import Trace

# Its lines are JSON and nothing else, so that a log collector can read them as they are.
questions = logging.getLogger("polyrag.questions")
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def otlp_install(provider: TracerProvider) -> bool:
    """Send all spans to the collector that OpenTelemetry's variables name; gives whether one is named.

    OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and the others hold as OpenTelemetry describes them. A
    collector that is away costs spans and nothing else: they are sent by a thread of their own.
    """
    if not any(os.environ.get(name, "").strip() for name in ENDPOINTS):
        return False
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return True


def question_log(trace: Trace) -> None:
    """One line for a run that has ended.

    The text of the question only where LOG_QUESTIONS allows it; never any of passages and answers.
    """
    if questions.isEnabledFor(logging.INFO):
        questions.info(json.dumps(question_line(trace), ensure_ascii=False, default=str))


def question_line(trace: Trace) -> dict[str, Any]:
    """What the line of a run holds: times in milliseconds, `cost` in `currency`, None for the unknown."""
    line = {
        "trace": str(trace.pk),
        "at": trace.started_at.isoformat(),
        "workspace": str(trace.workspace_id),
        "user": trace.user_id,
        "language": trace.language,
        "state": trace.state,
        "route": trace.route,
        "stage": trace.stage,
        "margin": trace.margin,
        "parts": len(trace.parts),
        "citations": len(trace.answer.get("citations") or []),
        "cached": trace.cached,
        "model": trace.answer.get("model", ""),
        "engine": trace.engine,
        "remote": trace.remote,
        "placement": trace.placement.get("reason"),
        "duration_ms": trace.duration_ms,
        "tokens_in": trace.tokens_in,
        "tokens_out": trace.tokens_out,
        "cost": None if trace.cost is None else str(trace.cost),
        "currency": currency(),
    }
    return {**line, "question": trace.question} if settings.LOG_QUESTIONS else line
