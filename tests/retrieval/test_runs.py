from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError

from corpus.services import document_delete
from retrieval import runs
from retrieval.errors import QuestionRefused
from retrieval.runs import run_execute, run_start
from telemetry.models import RunEvent, RunState, Span, Trace
from telemetry.names import EventKind, SpanName
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
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
    from datetime import timedelta

    from django.utils import timezone

    from telemetry.services import runs_interrupt_orphans

    trace = run_start(workspace=workspace, user=owner, question=QUESTION)
    Trace.objects.filter(pk=trace.pk).update(started_at=timezone.now() - timedelta(minutes=11))
    assert runs_interrupt_orphans() == 1
    trace.refresh_from_db()
    assert trace.state == RunState.INTERRUPTED
    assert runs_interrupt_orphans() == 0
