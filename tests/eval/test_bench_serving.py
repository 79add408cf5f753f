from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import requests

from eval import bench_serving
from eval.bench_serving import serving_figures
from eval.served_model import model_served
from eval.socket_client import Event
from teams.models import User
from telemetry.models import Trace
from tests import live
from tests.factories import ingest, make_user, make_workspace

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "# Visitors\n\nVisitors wear a heliotrope badge and are met at the north gate.\n"


def test_what_a_person_saw_is_told_from_the_events() -> None:
    spans = {"spans": [{"name": "embed.query", "offset_ms": 1.0, "duration_ms": 20.0}]}
    seen = bench_serving._seen(
        [
            Event(0.1, "run.started", {}),
            Event(0.3, "route.decided", {"route": "vectorial"}),
            Event(0.5, "answer.delta", {"text": "A", "written": True}),
            Event(0.7, "answer.delta", {"text": "B", "written": True}),
            Event(0.9, "run.finished", spans),
        ]
    )
    assert (seen.decided, seen.first, seen.ended) == (0.3, 0.5, 0.9)
    assert (seen.kind, seen.cached, seen.embedding) == ("run.finished", False, 0.02)


def test_the_model_server_thinks_before_its_first_word() -> None:
    body: Any = {"stream": True, "messages": [{"role": "user", "content": "Hello"}]}
    with model_served(lambda system, user: f"{user} to you", thinking=0.2, pace=0.01) as served:
        started = time.monotonic()
        reply = requests.post(f"{served.url}/chat/completions", json=body, timeout=10, stream=True)
        lines = [line for line in reply.iter_lines() if line]
        assert time.monotonic() - started >= 0.2
    assert b"Hello " in lines[0]
    assert lines[-1] == b"data: [DONE]"
    assert len(lines) == 6


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_several_people_are_served_at_once_and_nothing_of_them_stays(
    own_files: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEDIA_ROOT = own_files / "files"
    owner = make_user()
    workspace = make_workspace(owner)
    ingest(workspace, owner, "visitors.md", TEXT)
    for name, value in live.environment(own_files).items():
        monkeypatch.setenv(name, value)
    asked = ["How are visitors marked?", "At which gate are visitors met?"]
    figures = serving_figures(workspace, asked, people=3, folder=own_files)
    assert (figures["people"], figures["people_errors"]) == (3, 0), figures
    assert figures["first_tokens"] == figures["cache_hits"] == 2
    assert figures["decision_vs_embedding"] > 1
    assert User.objects.count() == 1
    assert not Trace.objects.exists()
    live.workspaces_drop()
