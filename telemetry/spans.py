"""Spans of one run, made with OpenTelemetry and kept as rows.

`span(SpanName.X)` may be used anywhere below `recording()`. Outside of it the spans still exist for
whatever exporter the operator configures, and cost next to nothing.
"""

from __future__ import annotations

import contextvars
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from opentelemetry import trace as otel
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import Status, StatusCode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span as SdkSpan

    from telemetry.names import SpanName

NANO = 1_000_000


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """A finished span. Times in milliseconds, the offset counted from the start of the recording."""

    span_id: str
    parent_id: str
    name: str
    offset_ms: float
    duration_ms: float
    failed: bool
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Use:
    """Tokens that a model read and wrote once; `estimated` where the server counted none.

    `cost` is None without a price; `remote` says that the engine is not one's own.
    """

    tokens_in: int
    tokens_out: int
    estimated: bool = False
    cost: Decimal | None = None
    engine: str = ""
    remote: bool = False


@dataclass(slots=True)
class Recording:
    """The spans that finished, and the tokens spent, while this recording was the current one."""

    started_ns: int = field(default_factory=time.time_ns)
    spans: list[SpanRecord] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)

    def total_ms(self, name: SpanName) -> float:
        return sum(record.duration_ms for record in self.spans if record.name == name)


_recording: contextvars.ContextVar[Recording | None] = contextvars.ContextVar(
    "polyrag_recording", default=None
)


class _Keeper(SpanProcessor):
    """Hands each finished span to the recording under which it was started."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, int], Recording] = {}

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        recording = _recording.get()
        context = span.get_span_context()
        if recording is not None and context is not None:
            self._open[context.trace_id, context.span_id] = recording

    def on_end(self, span: ReadableSpan) -> None:
        context = span.get_span_context()
        if context is None or span.start_time is None or span.end_time is None:
            return
        recording = self._open.pop((context.trace_id, context.span_id), None)
        if recording is None:
            return
        recording.spans.append(
            SpanRecord(
                span_id=format(context.span_id, "016x"),
                parent_id=format(span.parent.span_id, "016x") if span.parent else "",
                name=span.name,
                offset_ms=(span.start_time - recording.started_ns) / NANO,
                duration_ms=(span.end_time - span.start_time) / NANO,
                failed=span.status.status_code is StatusCode.ERROR,
                attributes=dict(span.attributes or {}),
            )
        )


class SpanHandle:
    def __init__(self, span: otel.Span) -> None:
        self._span = span

    def set(self, **attributes: Any) -> None:
        """Add attributes: text, numbers, booleans, or lists of one of them. None is left out."""
        for key, value in attributes.items():
            if value is not None:
                self._span.set_attribute(key, value)


def provider_install() -> None:
    """Make PolyRAG's tracer provider the process' one and instrument Django. Safe to call again."""
    current = otel.get_tracer_provider()
    if not isinstance(current, TracerProvider):
        current = TracerProvider()
        otel.set_tracer_provider(current)
    if not getattr(current, "_polyrag_keeper", False):
        from telemetry.export import otlp_install

        current.add_span_processor(_Keeper())
        otlp_install(current)
        current._polyrag_keeper = True  # type: ignore[attr-defined]


def recording_current() -> Recording | None:
    return _recording.get()


@contextmanager
def recording() -> Iterator[Recording]:
    """Collect the spans of this context, and of threads that run in a copy of it."""
    kept = Recording()
    token = _recording.set(kept)
    try:
        yield kept
    finally:
        _recording.reset(token)


@contextmanager
def span(name: SpanName, **attributes: Any) -> Iterator[SpanHandle]:
    """A span over the block. An exception marks it as failed and goes on its way."""
    tracer = otel.get_tracer("polyrag")
    with tracer.start_as_current_span(name.value, record_exception=False) as current:
        handle = SpanHandle(current)
        handle.set(**attributes)
        try:
            yield handle
        except BaseException as error:
            current.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
