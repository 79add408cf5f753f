"""Runs of questions: rows that begin in the request and are settled by a thread of the web process."""

from __future__ import annotations

import contextvars
import functools
import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from engines.errors import EngineError
from engines.language import detect
from retrieval.ask import Outcome, ask
from retrieval.errors import QuestionRefused
from retrieval.options import DEFAULT, options_parse
from retrieval.screen import screen
from teams.access import Right, require
from telemetry.models import RunEvent, RunState, Trace
from telemetry.services import connections_release, event_add, trace_begin, trace_settle
from telemetry.spans import recording

if TYPE_CHECKING:
    import uuid

    from retrieval.options import Options
    from teams.models import User, Workspace
    from telemetry.names import EventKind
    from telemetry.spans import Recording

logger = logging.getLogger(__name__)
AT_ONCE = 4


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, "run")


def run_start(
    *, workspace: Workspace, user: User, question: str, options: Options = DEFAULT
) -> Trace:
    """Begin a run: its row exists when this returns, and the work starts when it is committed.

    Raises QuestionRefused with what to change, and PermissionDenied without the right to ask.
    """
    require(user, workspace, Right.ASK)
    asked = screen(question)
    with transaction.atomic():
        trace = trace_begin(
            workspace=workspace,
            user=user,
            question=asked,
            language=detect(asked),
            options=options.as_json(),
        )
        transaction.on_commit(lambda: _submit(trace.pk, translation.get_language() or "en"))
    return trace


def _submit(trace_id: uuid.UUID, locale: str) -> None:
    # An empty context: the run's spans are its own and not the request's.
    future = _pool().submit(contextvars.Context().run, _run_apart, trace_id, locale)
    future.add_done_callback(_report)


def _run_apart(trace_id: uuid.UUID, locale: str) -> None:
    try:
        with translation.override(locale):
            run_execute(trace_id)
    finally:
        connections_release()


def _report(future: Future[None]) -> None:
    error = future.exception()
    if error is not None:
        logger.error("A run ended in an error that it should have settled.", exc_info=error)


@dataclass(slots=True)
class Log:
    """Numbers the events of one run. Several threads may add to it."""

    trace: Trace
    seq: int
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, kind: EventKind, payload: dict[str, Any]) -> None:
        with self._lock:
            self.seq += 1
            event_add(trace=self.trace, seq=self.seq, kind=kind, payload=payload)


def run_execute(trace_id: uuid.UUID) -> None:
    """Answer the question of a run and settle it, whatever happens on the way."""
    trace = Trace.objects.select_related("workspace", "user").get(pk=trace_id)
    last = RunEvent.objects.filter(trace=trace).order_by("-seq").values_list("seq", flat=True)
    log = Log(trace, last.first() or 0)
    trace.state = RunState.FAILED
    trace.error = _("Something went wrong on the server; the operator's log has the details.")
    with recording() as kept:
        try:
            outcome = ask(
                workspace=trace.workspace,
                user=trace.user,
                question=trace.question,
                emit=log,
                options=options_parse(trace.options),
            )
            _fill(trace, outcome)
        except (EngineError, QuestionRefused) as error:
            trace.error = str(error)
        except DatabaseError as error:
            logger.exception("The database failed in run %s.", trace.pk)
            trace.error = _("The database did not answer (%(kind)s). Ask again in a moment.") % {
                "kind": type(error).__name__
            }
        finally:
            _settle(trace, log, kept)


def _settle(trace: Trace, log: Log, kept: Recording) -> None:
    """Settle on this connection, or on a fresh one when the database had broken off."""
    try:
        trace_settle(trace=trace, seq=log.seq + 1, recording=kept)
    except DatabaseError:
        logger.exception("Run %s could not be settled; trying on a new connection.", trace.pk)
        connections_release()
        trace_settle(trace=trace, seq=log.seq + 1, recording=kept)


def _fill(trace: Trace, outcome: Outcome) -> None:
    trace.error = ""
    trace.state = RunState.REFUSED if outcome.answer["refused"] else RunState.DONE
    trace.language = outcome.language
    trace.parts, trace.answer = outcome.parts, outcome.answer
    trace.cached = outcome.cached
    trace.route = "+".join(part["route"] for part in outcome.parts)[:60]
    trace.stage = "+".join(part["stage"] for part in outcome.parts)[:60]
    first = outcome.parts[0]
    trace.top_score = first["scores"][0]["score"] if first["scores"] else None
    trace.margin = min(part["margin"] for part in outcome.parts)
    trace.tokens_in, trace.tokens_out = outcome.tokens_in, outcome.tokens_out
