"""Writes of the room: a run begins, says what happens, and is settled once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import connections, transaction
from django.db.models import Max
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from telemetry import running
from telemetry.accounting import trace_account
from telemetry.export import question_log
from telemetry.live import publish, run_group
from telemetry.models import Conversation, RunEvent, RunState, Span, Trace
from telemetry.names import EventKind
from telemetry.narrowing import restricted_readable, sources_gone
from telemetry.running import RunSettled
from telemetry.told import told

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    from teams.models import User, Workspace
    from telemetry.spans import Recording, SpanRecord

WITH_CONTENT = (EventKind.SQL_READY, EventKind.ANSWER_DELTA, EventKind.RUN_FINISHED)


def trace_begin(
    *,
    workspace: Workspace,
    user: User,
    question: str,
    language: str,
    options: dict[str, Any] | None = None,
    conversation: Conversation | None = None,
) -> Trace:
    trace: Trace = Trace.objects.create(
        workspace=workspace,
        user=user,
        question=question,
        language=language,
        options=options or {},
        conversation=conversation,
        restricted=restricted_readable(workspace, user),
    )
    event_add(trace=trace, kind=EventKind.RUN_STARTED, payload={"question": question})
    return trace


def event_add(*, trace: Trace, kind: EventKind, payload: dict[str, Any]) -> int:
    """Store the next event of the run and wake the pages that watch it; gives its number.

    Raises RunSettled when the run has ended: nothing may follow its terminal event.
    """
    with transaction.atomic():
        if not _lock_open(trace):
            raise RunSettled
        return _append(trace, kind, payload)


def _lock_open(trace: Trace) -> bool:
    """Whether the run goes on. Its row is held until the transaction ends, so it stays so till then."""
    held = Trace.objects.select_for_update(no_key=True).filter(pk=trace.pk)
    return held.filter(state=RunState.RUNNING).values_list("pk", flat=True).first() is not None


def _append(trace: Trace, kind: EventKind, payload: dict[str, Any]) -> int:
    rows = RunEvent.objects.filter(trace=trace)
    seq = int(rows.aggregate(last=Max("seq"))["last"] or 0) + 1
    RunEvent.objects.create(trace=trace, seq=seq, kind=kind, payload=payload)
    publish(run_group(trace.pk), {"type": "run.event", "seq": seq})
    return seq


def trace_settle(*, trace: Trace, recording: Recording | None) -> bool:
    """Store how the run ended, with its spans and its terminal event, in one transaction.

    `trace` carries the final state and answer. A run that is already settled stays as it is, but for
    the spans of the thread that only now hears of it. Gives whether this settled the run.
    """
    trace.ended_at = timezone.now()
    trace.duration_ms = (trace.ended_at - trace.started_at).total_seconds() * 1000
    spans = [] if recording is None else recording.spans
    if recording is not None:
        trace_account(trace=trace, recording=recording)
    with transaction.atomic():
        going = _lock_open(trace)
        if going:
            # What came within the asker's reach while the run went on counts as well.
            now = restricted_readable(trace.workspace, trace.user)
            trace.restricted = sorted({*trace.restricted, *now})
            trace.save()
            _append(trace, *_terminal(trace, spans))
            if sources_gone(trace):
                events_withdraw(traces=[trace.pk])
            transaction.on_commit(lambda: question_log(trace))
        elif not Trace.objects.filter(pk=trace.pk).exists():
            return False  # Deleted with its workspace.
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
    return going


def _terminal(trace: Trace, spans: Iterable[SpanRecord]) -> tuple[EventKind, dict[str, Any]]:
    match trace.state:
        case RunState.INTERRUPTED:
            return EventKind.RUN_INTERRUPTED, {"message": trace.error}
        case RunState.FAILED:
            return EventKind.RUN_FAILED, {"message": trace.error}
    return EventKind.RUN_FINISHED, {
        "state": trace.state,
        "answer": trace.answer,
        "duration_ms": trace.duration_ms,
        "spans": [
            {"name": s.name, "offset_ms": s.offset_ms, "duration_ms": s.duration_ms} for s in spans
        ],
    }


def run_interrupt(*, trace: Trace, reason: str) -> bool:
    """End a run that goes on, keeping what it has told so far; gives whether it still went on.

    `reason` is what the person reads. The thread that works on it stops at its next step.
    """
    with transaction.atomic():
        if not _lock_open(trace):
            return False
        so_far = told(RunEvent.objects.filter(trace=trace).order_by("seq"))
        trace.state, trace.error = RunState.INTERRUPTED, reason
        trace.answer, trace.resolved = so_far.answer, so_far.resolved
        trace_decide(trace, so_far.parts_kept)
        trace_settle(trace=trace, recording=None)
    running.stop(trace.pk)
    return True


def trace_decide(trace: Trace, parts: list[dict[str, Any]]) -> None:
    """Put the parts of a run on its row, and what the list of traces shows of them."""
    trace.parts = parts
    trace.route = "+".join(part["route"] for part in parts)[:60]
    trace.stage = "+".join(part["stage"] for part in parts)[:60]
    if parts:
        first = parts[0]
        trace.top_score = first["scores"][0]["score"] if first["scores"] else None
        trace.margin = min(part["margin"] for part in parts)


def runs_wait(*, workspaces: Any) -> None:
    """Hold the runs that go on in `workspaces` to the end of the transaction: they tell and settle later."""
    held = Trace.objects.select_for_update(no_key=True).filter(
        workspace__in=workspaces, state=RunState.RUNNING
    )
    list(held.order_by("pk").values_list("pk", flat=True))


def events_withdraw(*, traces: Iterable[uuid.UUID]) -> None:
    """Take the content out of the events of runs, whose source is gone; that they happened stays."""
    rows = RunEvent.objects.filter(trace_id__in=list(traces), kind__in=WITH_CONTENT)
    rows.update(payload={"withdrawn": True})


def run_dead(trace: Trace) -> bool:
    """Whether the process that answers has been silent for too long."""
    silent = timezone.now() - trace.alive_at
    return trace.state == RunState.RUNNING and silent > timedelta(seconds=running.DEAD_SECONDS)


def run_settle_dead(*, trace: Trace) -> bool:
    """Settle a run whose process died; gives whether it was one."""
    if not run_dead(trace):
        return False
    # Whoever notices it is not the one who asked, so it is said in the question's language.
    with translation.override("pt" if trace.language == "pt" else "en"):
        reason = _("The server stopped while this question was being answered. Ask it again.")
    return run_interrupt(trace=trace, reason=reason)


def runs_interrupt_orphans() -> int:
    """Settle all runs whose process died. Gives how many there were."""
    limit = timezone.now() - timedelta(seconds=running.DEAD_SECONDS)
    silent = Trace.objects.filter(state=RunState.RUNNING, alive_at__lt=limit)
    return sum(run_settle_dead(trace=trace) for trace in silent)


def connections_release() -> None:
    """Give back this thread's database connections, for threads that end with their run."""
    for held in connections.all(initialized_only=True):
        held.close()
