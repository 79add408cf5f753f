"""Runs of questions: rows that begin in the request and are settled by a thread of the web process."""

from __future__ import annotations

import contextvars
import functools
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from engines.errors import EngineError
from engines.language import detect
from retrieval.ask import Outcome, ask
from retrieval.errors import QuestionRefused
from retrieval.followup import Turn
from retrieval.gate import STAGE
from retrieval.options import DEFAULT, options_parse
from retrieval.quotas import question_admit
from retrieval.screen import screen
from retrieval.shown import answer_text, run_view
from teams.access import Right, acting, acting_now, require
from telemetry import running
from telemetry.conversations import conversation_go_on, turns_before
from telemetry.models import RunState, Trace
from telemetry.running import RunSettled
from telemetry.services import (
    connections_release,
    event_add,
    run_interrupt,
    trace_begin,
    trace_decide,
    trace_settle,
)
from telemetry.spans import recording

if TYPE_CHECKING:
    import threading
    import uuid

    from retrieval.options import Options
    from teams.access import Acting
    from teams.models import User, Workspace
    from telemetry.models import Conversation
    from telemetry.names import EventKind
    from telemetry.spans import Recording

logger = logging.getLogger(__name__)
AT_ONCE = 4
# How many earlier questions of a conversation a new one may lean on.
TURNS = 3


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, "run")


def run_start(
    *,
    workspace: Workspace,
    user: User,
    question: str,
    options: Options = DEFAULT,
    conversation: Conversation | None = None,
) -> Trace:
    """Begin a run: its row exists when this returns, and the work starts when it is committed.

    It goes on in `conversation`, one of the person's own, or begins another.
    Raises QuestionRefused with what to change, and PermissionDenied without the right to ask.
    """
    require(user, workspace, Right.ASK)
    asked = screen(question)
    with transaction.atomic():
        question_admit(workspace=workspace, user=user)
        talk = conversation_go_on(
            workspace=workspace, user=user, question=asked, conversation=conversation
        )
        trace = trace_begin(
            workspace=workspace,
            user=user,
            question=asked,
            language=detect(asked),
            options=options.as_json(),
            conversation=talk,
        )
        locale, token = translation.get_language() or "en", acting_now()
        transaction.on_commit(lambda: _submit(trace.pk, locale, token))
    return trace


def run_cancel(*, trace: Trace, user: User) -> bool:
    """End a run of one's own, keeping what it has told; gives whether it still went on.

    Raises PermissionDenied for somebody else's run.
    """
    if trace.user_id != user.pk:
        raise PermissionDenied
    require(user, trace.workspace, Right.ASK)
    return run_interrupt(trace=trace, reason=_("You stopped this run."))


def run_again(*, trace: Trace, user: User) -> Trace:
    """Begin a new run of the same question in the same workspace with the same options, as `user`.

    Raises as `run_start` does.
    """
    return run_start(
        workspace=trace.workspace,
        user=user,
        question=trace.question,
        options=options_parse(trace.options),
        conversation=trace.conversation,
    )


def _turns(trace: Trace) -> list[Turn]:
    """The questions before this one, as they were understood, for one that leans on them."""

    def turn(earlier: Trace) -> Turn:
        parts = earlier.parts
        question = parts[-1].get("text") if parts else earlier.resolved or earlier.question
        return Turn(
            question or earlier.question,
            earlier.language,
            # Read again under the reader's rights: nothing of a withdrawn source is handed on.
            lambda: answer_text(run_view(earlier, trace.user, None)),
        )

    # A greeting between two questions says nothing that the second could lean on.
    return [turn(one) for one in turns_before(trace, TURNS) if one.stage != STAGE]


def _submit(trace_id: uuid.UUID, locale: str, token: Acting | None) -> None:
    stop = running.begin(trace_id)
    # An empty context: the run's spans are its own and not the request's. A token's scope goes along.
    future = _pool().submit(contextvars.Context().run, _run_apart, trace_id, locale, stop, token)
    future.add_done_callback(_report)


def _run_apart(
    trace_id: uuid.UUID, locale: str, stop: threading.Event, token: Acting | None
) -> None:
    try:
        with translation.override(locale), running.stopped_by(stop), acting(token):
            run_execute(trace_id)
    finally:
        running.end(trace_id)
        connections_release()


def _report(future: Future[None]) -> None:
    error = future.exception()
    if error is not None:
        logger.error("A run ended in an error that it should have settled.", exc_info=error)


def run_execute(trace_id: uuid.UUID) -> None:
    """Answer the question of a run and settle it, whatever happens on the way."""
    trace = Trace.objects.select_related("workspace", "user", "conversation").get(pk=trace_id)

    def emit(kind: EventKind, payload: dict[str, Any]) -> None:
        event_add(trace=trace, kind=kind, payload=payload)

    trace.state = RunState.FAILED
    trace.error = _("Something went wrong on the server; the operator's log has the details.")
    with recording() as kept:
        try:
            outcome = ask(
                workspace=trace.workspace,
                user=trace.user,
                question=trace.question,
                emit=emit,
                options=options_parse(trace.options),
                turns=_turns(trace),
            )
            _fill(trace, outcome)
        except RunSettled:
            logger.info("Run %s was ended while its question was being answered.", trace.pk)
        except (EngineError, QuestionRefused) as error:
            trace.error = str(error)
        except DatabaseError as error:
            logger.exception("The database failed in run %s.", trace.pk)
            trace.error = _("The database did not answer (%(kind)s). Ask again in a moment.") % {
                "kind": type(error).__name__
            }
        finally:
            _settle(trace, kept)


def _settle(trace: Trace, kept: Recording) -> None:
    """Settle on this connection, or on a fresh one when the database had broken off."""
    try:
        trace_settle(trace=trace, recording=kept)
    except DatabaseError:
        logger.exception("Run %s could not be settled; trying on a new connection.", trace.pk)
        connections_release()
        trace_settle(trace=trace, recording=kept)


def _fill(trace: Trace, outcome: Outcome) -> None:
    trace.error = ""
    trace.state = RunState.REFUSED if outcome.answer["refused"] else RunState.DONE
    if outcome.cut:
        trace.state = RunState.INTERRUPTED
        trace.error = _("The answer broke off: %(reason)s") % {"reason": outcome.cut}
    trace.language, trace.resolved = outcome.language, outcome.resolved
    trace.answer, trace.cached = outcome.answer, outcome.cached
    trace.placement = outcome.placement
    trace_decide(trace, outcome.parts)
    trace.tokens_in, trace.tokens_out = outcome.tokens_in, outcome.tokens_out
