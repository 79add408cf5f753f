"""Writes of the room: a run begins, says what happens, and is settled once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from telemetry.live import publish, run_group
from telemetry.models import RunEvent, RunState, Span, Trace
from telemetry.names import EventKind

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    from teams.models import User, Workspace
    from telemetry.spans import Recording

WITH_CONTENT = (EventKind.SQL_READY, EventKind.ANSWER_DELTA, EventKind.RUN_FINISHED)


def trace_begin(
    *,
    workspace: Workspace,
    user: User,
    question: str,
    language: str,
    options: dict[str, Any] | None = None,
) -> Trace:
    trace: Trace = Trace.objects.create(
        workspace=workspace, user=user, question=question, language=language, options=options or {}
    )
    event_add(trace=trace, seq=1, kind=EventKind.RUN_STARTED, payload={"question": question})
    return trace


def event_add(*, trace: Trace, seq: int, kind: EventKind, payload: dict[str, Any]) -> None:
    """Store one event and wake the pages that watch this run."""
    with transaction.atomic():
        RunEvent.objects.create(trace=trace, seq=seq, kind=kind, payload=payload)
        publish(run_group(trace.pk), {"type": "run.event", "seq": seq})


def trace_settle(*, trace: Trace, seq: int, recording: Recording | None) -> None:
    """Store how the run ended, with its spans and its terminal event, in one transaction.

    `trace` carries the final state and answer. A run that is already settled stays as it is.
    """
    trace.ended_at = timezone.now()
    trace.duration_ms = (trace.ended_at - trace.started_at).total_seconds() * 1000
    spans = [] if recording is None else recording.spans
    failed = trace.state in {RunState.FAILED, RunState.INTERRUPTED}
    with transaction.atomic():
        open_run = Trace.objects.select_for_update().filter(pk=trace.pk, state=RunState.RUNNING)
        if not open_run.exists():
            return
        trace.save()
        Span.objects.bulk_create(
            Span(
                trace=trace,
                span_id=record.span_id,
                parent_id=record.parent_id,
                name=record.name,
                offset_ms=record.offset_ms,
                duration_ms=record.duration_ms,
                failed=record.failed,
                attributes=record.attributes,
            )
            for record in spans
        )
        if failed:
            interrupted = trace.state == RunState.INTERRUPTED
            kind = EventKind.RUN_INTERRUPTED if interrupted else EventKind.RUN_FAILED
            payload: dict[str, Any] = {"message": trace.error}
        else:
            kind = EventKind.RUN_FINISHED
            payload = {
                "state": trace.state,
                "answer": trace.answer,
                "duration_ms": trace.duration_ms,
                "spans": [
                    {"name": s.name, "offset_ms": s.offset_ms, "duration_ms": s.duration_ms}
                    for s in spans
                ],
            }
        event_add(trace=trace, seq=seq, kind=kind, payload=payload)


def events_withdraw(*, traces: Iterable[uuid.UUID]) -> None:
    """Take the content out of the events of runs, whose source is gone; that they happened stays."""
    rows = RunEvent.objects.filter(trace_id__in=list(traces), kind__in=WITH_CONTENT)
    rows.update(payload={"withdrawn": True})


def runs_interrupt_orphans(*, minutes: int = 10) -> int:
    """Settle runs whose process died: still running after `minutes`. Gives how many there were."""
    limit = timezone.now() - timedelta(minutes=minutes)
    orphans = Trace.objects.filter(state=RunState.RUNNING, started_at__lt=limit)
    count = 0
    for trace in orphans:
        trace.state = RunState.INTERRUPTED
        trace.error = _("The server stopped while this question was being answered. Ask it again.")
        last = RunEvent.objects.filter(trace=trace).order_by("-seq").first()
        trace_settle(trace=trace, seq=(last.seq if last else 0) + 1, recording=None)
        count += 1
    return count


def connections_release() -> None:
    """Give back this thread's database connection, for threads that end with their run."""
    connection.close()
