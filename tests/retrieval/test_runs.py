from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connection
from django.utils import timezone

from corpus.services import document_delete, document_trash
from retrieval import runs
from retrieval.errors import QuestionRefused
from retrieval.models import CachedAnswer
from retrieval.runs import run_again, run_cancel, run_execute, run_start
from retrieval.shown import answer_text, run_view
from teams.models import Role
from telemetry.models import RunEvent, RunState, Span, Trace
from telemetry.names import EventKind, SpanName
from telemetry.running import RunSettled, runs_beat
from telemetry.services import event_add, runs_interrupt_orphans, trace_begin
from telemetry.told import told
from tests import live
from tests.factories import ingest, make_member, make_user, make_workspace
from tests.model_server import generate, model_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db

TEXT = "# Visitors\n\nVisitors wear a yellow badge and are met at the north gate.\n"
QUESTION = "What badge do visitors wear?"


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


@contextmanager
def meanwhile(settings: Any, act: Callable[[], object]) -> Iterator[None]:
    """A generator that answers from its first source once `act` was done on a connection of its own."""

    def reply(prompt: str) -> str:
        try:
            act()
        finally:
            connection.close()
        return "Visitors wear a yellow badge [1]."

    with model_server() as server:
        server.reply = reply
        generate(settings, server.url)
        yield


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_source_that_goes_while_it_is_answered_is_neither_told_on_nor_kept(settings: Any) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    document = ingest(workspace, owner, "visitors.md", TEXT)
    try:
        with meanwhile(settings, lambda: document_trash(document=document, user=owner)):
            trace = trace_begin(workspace=workspace, user=owner, question=QUESTION, language="en")
            run_execute(trace.pk)
        trace.refresh_from_db()
        assert trace.state == RunState.DONE
        assert trace.answer["citations"]
        assert not CachedAnswer.objects.exists()
        payloads = RunEvent.objects.filter(trace=trace).values_list("payload", flat=True)
        assert "yellow" not in repr(list(payloads))
        assert "yellow" not in answer_text(run_view(trace, owner, None))
    finally:
        live.workspaces_drop()


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_an_answer_from_before_a_document_came_is_not_kept(settings: Any) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "visitors.md", TEXT)
    try:
        with meanwhile(
            settings, lambda: ingest(workspace, owner, "new.md", "# New\n\nRed badges.\n")
        ):
            trace = trace_begin(workspace=workspace, user=owner, question=QUESTION, language="en")
            run_execute(trace.pk)
        trace.refresh_from_db()
        assert trace.state == RunState.DONE
        assert not CachedAnswer.objects.exists()
        assert "yellow" in repr(list(RunEvent.objects.values_list("payload", flat=True)))
    finally:
        live.workspaces_drop()


def settled(workspace: Workspace, owner: User, question: str = QUESTION) -> Trace:
    trace = run_start(workspace=workspace, user=owner, question=question)
    run_execute(trace.pk)
    trace.refresh_from_db()
    return trace


def test_a_run_ends_with_its_answer_its_numbers_and_its_spans(
    workspace: Workspace, owner: User
) -> None:
    ingest(workspace, owner, "visitors.md", TEXT)
    trace = settled(workspace, owner)
    assert trace.state == RunState.DONE
    assert (trace.route, trace.language) == ("vectorial", "en")
    assert trace.margin is not None
    assert trace.top_score
    names = set(Span.objects.filter(trace=trace).values_list("name", flat=True))
    assert {SpanName.ASK, SpanName.EMBED, SpanName.ROUTE, SpanName.RETRIEVE_TEXT} <= names
    ask = Span.objects.get(trace=trace, name=SpanName.ASK)
    inner = Span.objects.filter(trace=trace).exclude(pk=ask.pk)
    assert all(span.parent_id for span in inner)
    assert all(span.duration_ms <= ask.duration_ms + 1 for span in inner)


def test_events_are_numbered_from_one_and_end_once(workspace: Workspace, owner: User) -> None:
    ingest(workspace, owner, "visitors.md", TEXT)
    trace = settled(workspace, owner)
    events = list(RunEvent.objects.filter(trace=trace).values_list("seq", "kind"))
    assert [seq for seq, _ in events] == list(range(1, len(events) + 1))
    assert events[0][1] == EventKind.RUN_STARTED
    assert events[-1][1] == EventKind.RUN_FINISHED


def test_nobody_asks_without_the_right(workspace: Workspace) -> None:
    with pytest.raises(PermissionDenied):
        run_start(workspace=workspace, user=make_user(), question=QUESTION)
    assert not Trace.objects.exists()


def test_a_refused_question_leaves_no_run(workspace: Workspace, owner: User) -> None:
    with pytest.raises(QuestionRefused):
        run_start(workspace=workspace, user=owner, question=" ")
    assert not Trace.objects.exists()


def test_a_run_whose_embedder_is_away_fails_with_the_reason(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    settings.POLYRAG_ENGINES = {
        **settings.POLYRAG_ENGINES,
        "embedder": {"base_url": "http://127.0.0.1:9/v1", "model": "bge-m3", "timeout": 2},
    }
    trace = settled(workspace, owner)
    assert trace.state == RunState.FAILED
    assert "did not answer" in trace.error
    last = RunEvent.objects.filter(trace=trace).last()
    assert last is not None
    assert last.kind == EventKind.RUN_FAILED


def test_a_run_that_the_database_broke_is_settled_all_the_same(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> None:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(runs, "ask", broken)
    trace = settled(workspace, owner)
    assert trace.state == RunState.FAILED
    assert "OperationalError" in trace.error


def test_an_error_of_ours_settles_the_run_and_is_not_swallowed(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(runs, "ask", broken)
    trace = run_start(workspace=workspace, user=owner, question=QUESTION)
    with pytest.raises(ZeroDivisionError):
        run_execute(trace.pk)
    trace.refresh_from_db()
    assert trace.state == RunState.FAILED


def test_events_hold_nothing_of_a_source_that_was_deleted(
    workspace: Workspace, owner: User
) -> None:
    document = ingest(workspace, owner, "visitors.md", TEXT)
    trace = settled(workspace, owner)
    told = RunEvent.objects.filter(trace=trace)
    assert any("yellow" in str(event.payload) for event in told)
    document_delete(document=document)
    assert not any("yellow" in str(event.payload) for event in told.all())


def test_a_process_that_died_leaves_its_runs_interrupted(workspace: Workspace, owner: User) -> None:
    trace = run_start(workspace=workspace, user=owner, question=QUESTION)
    Trace.objects.filter(pk=trace.pk).update(alive_at=timezone.now() - timedelta(minutes=1))
    assert runs_interrupt_orphans() == 1
    trace.refresh_from_db()
    assert trace.state == RunState.INTERRUPTED
    assert runs_interrupt_orphans() == 0


LONG = "Visitors wear a yellow badge [1] and are met at the north gate by whoever invited them."


def test_H2_a_cut_answer_is_interrupted_keeps_what_came_and_is_not_kept_for_others(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    ingest(workspace, owner, "visitors.md", TEXT)
    with model_server() as server:
        generate(settings, server.url)
        server.reply, server.pace, server.broken_at = (lambda prompt: LONG), 0.03, 8
        trace = settled(workspace, owner)
        assert trace.state == RunState.INTERRUPTED
        assert "broke off" in trace.error
        assert trace.answer["text"] == "Visitors wear a yellow badge [1] and are"
        assert trace.parts[0]["hits"]
        assert trace.tokens_estimated
        last = RunEvent.objects.filter(trace=trace).last()
        assert last is not None
        assert last.kind == EventKind.RUN_INTERRUPTED
        assert not CachedAnswer.objects.exists()

        server.broken_at = None
        again = run_again(trace=trace, user=owner)
        run_execute(again.pk)
        again.refresh_from_db()
    assert again.state == RunState.DONE
    assert again.answer["text"] == LONG
    assert not again.cached


def test_text_comes_in_pieces_and_names_its_sources_first(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    ingest(workspace, owner, "visitors.md", TEXT)
    with model_server() as server:
        generate(settings, server.url)
        server.reply, server.pace = (lambda prompt: LONG), 0.03
        trace = settled(workspace, owner)
    deltas = RunEvent.objects.filter(trace=trace, kind=EventKind.ANSWER_DELTA)
    texts = [event.payload["text"] for event in deltas]
    assert len(texts) >= 3
    assert "".join(texts).strip() == LONG == trace.answer["text"]
    assert deltas[0].payload["citations"][0]["n"] == 1
    assert (trace.tokens_in, trace.tokens_out, trace.tokens_estimated) == (11, 5, False)


def test_an_answer_asked_for_once_more_replaces_what_was_told(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    ingest(workspace, owner, "visitors.md", TEXT)
    wrong = "Os visitantes usam sempre um crachá amarelo na fábrica [1]."
    with model_server() as server:
        generate(settings, server.url)
        server.reply = lambda prompt: LONG if "whole answer in English" in prompt else wrong
        trace = settled(workspace, owner)
    assert trace.answer["text"] == LONG
    so_far = told(RunEvent.objects.filter(trace=trace))
    assert so_far.texts == {0: LONG}


def test_a_run_that_was_stopped_stays_stopped_and_keeps_what_it_had_told(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    ingest(workspace, owner, "visitors.md", TEXT)
    trace = run_start(workspace=workspace, user=owner, question=QUESTION)

    def reply(prompt: str) -> str:
        return LONG

    with model_server() as server:
        generate(settings, server.url)
        server.reply = reply
        told_before = event_add

        def stop_at_text(**given: Any) -> int:
            seq = told_before(**given)
            if given["kind"] == EventKind.ANSWER_DELTA:
                assert run_cancel(trace=Trace.objects.get(pk=trace.pk), user=owner)
            return seq

        server.pace = 0.03
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(runs, "event_add", stop_at_text)
            run_execute(trace.pk)
    trace.refresh_from_db()
    assert trace.state == RunState.INTERRUPTED
    assert "stopped" in trace.error
    assert trace.answer["text"]
    assert LONG.startswith(trace.answer["text"])
    assert trace.answer["text"] != LONG
    assert trace.parts[0]["route"] == "vectorial"
    kinds = list(RunEvent.objects.filter(trace=trace).values_list("kind", flat=True))
    assert kinds[-1] == EventKind.RUN_INTERRUPTED
    assert kinds.count(EventKind.RUN_INTERRUPTED) == 1
    assert Span.objects.filter(trace=trace).exists()
    assert not run_cancel(trace=trace, user=owner)


def test_nothing_follows_the_end_of_a_run(workspace: Workspace, owner: User) -> None:
    trace = run_start(workspace=workspace, user=owner, question=QUESTION)
    assert run_cancel(trace=trace, user=owner)
    with pytest.raises(RunSettled):
        event_add(trace=trace, kind=EventKind.ANSWER_DELTA, payload={"text": "late"})
    run_execute(trace.pk)
    trace.refresh_from_db()
    assert trace.state == RunState.INTERRUPTED


def test_nobody_stops_a_run_of_somebody_else(workspace: Workspace, owner: User) -> None:
    trace = run_start(workspace=workspace, user=owner, question=QUESTION)
    with pytest.raises(PermissionDenied):
        run_cancel(trace=trace, user=make_member(workspace, Role.OWNER))
    trace.refresh_from_db()
    assert trace.state == RunState.RUNNING


def test_text_of_a_stopped_run_goes_with_its_source(
    workspace: Workspace, owner: User, settings: Any
) -> None:
    document = ingest(workspace, owner, "visitors.md", TEXT)
    with model_server() as server:
        generate(settings, server.url)
        server.reply, server.pace, server.broken_at = (lambda prompt: LONG), 0.03, 8
        trace = settled(workspace, owner)
    document_delete(document=document)
    told_of = RunEvent.objects.filter(trace=trace)
    assert not any("yellow" in str(event.payload) for event in told_of)
    shown = run_view(trace, owner, None)
    assert "yellow" not in answer_text(shown)


def test_a_run_that_beats_is_not_taken_for_dead(workspace: Workspace, owner: User) -> None:
    trace = run_start(workspace=workspace, user=owner, question=QUESTION)
    Trace.objects.filter(pk=trace.pk).update(alive_at=timezone.now() - timedelta(minutes=1))
    assert runs_beat([trace.pk]) == {trace.pk}
    assert runs_interrupt_orphans() == 0
    assert run_cancel(trace=trace, user=owner)
    assert runs_beat([trace.pk]) == set()
