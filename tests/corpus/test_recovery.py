"""Work that broke off: what is taken up, what is given up, what a person sees of it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from corpus import ingest as ingesting
from corpus.errors import ReadingStopped
from corpus.graph import graph_enter
from corpus.ingest import version_read
from corpus.models import Chunk, DataTable, DocumentVersion, Entity, Mention, VersionState
from corpus.recovery import MOST_ATTEMPTS, stuck_requeue
from corpus.selectors import progress_of
from corpus.services import version_cancel, version_retry
from engines.errors import EngineUnavailable
from tests import live
from tests.corpus.stores import MANUAL, NOTE, OTHER, holding, names
from tests.factories import make_user, make_workspace, upload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from teams.models import User, Workspace

pytestmark = pytest.mark.django_db
APART = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def workspace(owner: User) -> Workspace:
    return make_workspace(owner)


@pytest.fixture
def committed() -> Iterator[User]:
    """A person, for tests in which several connections take part."""
    yield make_user()
    live.workspaces_drop()


def later(seconds: int) -> Any:
    """The clock stands so many seconds ahead."""
    then = timezone.now() + timedelta(seconds=seconds)
    return mock.patch.object(timezone, "now", lambda: then)


def test_C1_progress_counts_what_is_committed(owner: User, workspace: Workspace) -> None:
    done = upload(workspace, owner, "manual.md", MANUAL)
    seen: list[tuple[str, int, int, bool]] = []

    def report(version: DocumentVersion) -> None:
        at = progress_of(DocumentVersion.objects.get(pk=version.pk))
        seen.append((at.step, at.percent, at.total, at.done == Chunk.objects.count()))

    version_read(str(done.version.pk), report=report)

    assert seen == [
        ("parse", 0, 0, True),
        ("embed", 0, 20, True),
        ("embed", 40, 20, True),
        ("embed", 80, 20, True),
        ("embed", 100, 20, True),
        ("store", 100, 20, True),
    ]


def test_C1_a_reading_without_a_heartbeat_is_stuck_and_one_button_takes_it_up(
    owner: User, workspace: Workspace
) -> None:
    done = upload(workspace, owner, "manual.md", MANUAL)
    with (
        mock.patch.object(ingesting, "version_publish", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        version_read(str(done.version.pk))
    done.version.refresh_from_db()
    at = progress_of(done.version)
    assert (at.stuck, at.step, at.percent) == (True, "store", 100)

    standing = set(Chunk.objects.values_list("pk", flat=True))
    assert version_retry(version=done.version)
    assert version_read(str(done.version.pk)) == VersionState.READY
    assert set(Chunk.objects.values_list("pk", flat=True)) == standing


def test_C2_a_fault_of_ours_leaves_nothing_processing_for_ever(
    owner: User, workspace: Workspace
) -> None:
    done = upload(workspace, owner, "a.md", NOTE)
    with mock.patch.object(ingesting, "version_publish", side_effect=ZeroDivisionError):
        for _ in range(MOST_ATTEMPTS):
            # The first batch that is committed counts as getting on; then none is missing any more.
            with pytest.raises(ZeroDivisionError):
                version_read(str(done.version.pk))
            stuck_requeue()
    done.version.refresh_from_db()

    assert (done.version.state, progress_of(done.version).stuck) == (VersionState.FAILED, False)
    assert f"broke off {MOST_ATTEMPTS} times" in done.version.error
    assert version_retry(version=done.version)
    assert version_read(str(done.version.pk)) == VersionState.READY


def test_a_version_whose_job_got_lost_is_queued_again_but_not_while_jobs_wait(
    owner: User, workspace: Workspace, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        upload(workspace, owner, "a.md", NOTE)
    with later(3600):
        assert (stuck_requeue(), OrmQ.objects.count()) == (0, 1)
        OrmQ.objects.all().delete()
        with django_capture_on_commit_callbacks(execute=True):
            assert stuck_requeue() == 1
        assert OrmQ.objects.count() == 1
        assert stuck_requeue() == 0


@APART
def test_a_worker_notices_within_seconds_that_its_version_was_cancelled(committed: User) -> None:
    done = upload(make_workspace(committed), committed, "a.md", NOTE)
    began = threading.Event()

    def slow(*_: Any, stop: Any, **__: Any) -> None:
        began.set()
        while not stop():
            time.sleep(0.05)
        raise ReadingStopped("a.md")

    def read() -> str:
        try:
            return version_read(str(done.version.pk))
        finally:
            connection.close()

    with mock.patch.object(ingesting, "parse_file", slow), ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        assert began.wait(30)
        asked = time.monotonic()
        assert version_cancel(version=done.version)
        assert reading.result(30) == VersionState.CANCELLED
    assert time.monotonic() - asked < 5
    done.version.refresh_from_db()
    assert (done.version.lease_holder, done.version.lease_until) == ("", None)


@APART
def test_a_long_reading_keeps_its_lease(committed: User, settings: Any) -> None:
    settings.INGEST_LEASE_SECONDS = 1
    done = upload(make_workspace(committed), committed, "a.md", NOTE)
    seen: list[int] = []

    def report(version: DocumentVersion) -> None:
        if version.step == "embed" and not seen:
            time.sleep(1.6)
            seen.append(stuck_requeue())
            assert not progress_of(DocumentVersion.objects.get(pk=version.pk)).stuck

    assert version_read(str(done.version.pk), report=report) == VersionState.READY
    assert seen == [0]


@APART
def test_workers_that_read_at_once_change_the_stores_one_after_the_other(committed: User) -> None:
    """Names and tables are shared by documents: two that publish at once would tread on each other."""
    workspace = make_workspace(committed)
    fact = "Argila Works supplies clay to Soure Plant.\n"
    uploads = [upload(workspace, committed, f"f{n}.md", f"# Part {n}\n\n{fact}") for n in range(6)]
    inside: list[int] = []
    most: list[int] = []

    def enter(*args: Any) -> int:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.2)
        inside.pop()
        return graph_enter(*args)

    def read(key: str) -> str:
        try:
            return version_read(key)
        finally:
            connection.close()

    with mock.patch("corpus.publication.graph_enter", enter), ThreadPoolExecutor(3) as pool:
        states = list(pool.map(read, [str(done.version.pk) for done in uploads]))

    assert states == [VersionState.READY] * 6
    assert max(most) == 1
    assert sorted(Entity.objects.values_list("folded", flat=True)) == [
        "argila works",
        "soure plant",
    ]
    assert Mention.objects.count() == 12


def test_a_name_that_old_and_new_version_share_keeps_its_vector(
    owner: User, workspace: Workspace
) -> None:
    for text in (NOTE, NOTE + "\nA Argilas Bravas tem sede em Tomar.\n"):
        done = upload(workspace, owner, "a.md", text)
        version_read(str(done.version.pk))
    assert not Entity.objects.filter(embedding=None, outgoing__isnull=False).exists()
    assert Entity.objects.filter(folded="argilas bravas", embedding__isnull=False).exists()


# The command


def test_the_ingest_command_tells_percent_and_reads_what_is_inside(
    owner: User, workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "manual.md").write_text(MANUAL)
    (tmp_path / "mail.txt").write_text("See what is attached, please.")
    (tmp_path / "bad.exe").write_bytes(b"MZ\x90\x00\x03")
    said, wrong = StringIO(), StringIO()
    with (
        holding({"mail.txt": [("in.md", OTHER), ("x.exe", "MZ\x90")]}),
        pytest.raises(CommandError, match="1 files were not read"),
    ):
        call_command(
            "ingest",
            str(tmp_path),
            workspace=workspace.slug,
            user=owner.username,
            stdout=said,
            stderr=wrong,
        )

    assert names(owner, workspace) == ["mail.txt", "mail.txt › in.md", "manual.md"]
    assert not DocumentVersion.objects.exclude(state=VersionState.READY).exists()
    assert "passages 8/20 (40 %, about" in said.getvalue()
    assert "manual.md: ready, 20 passages, 0 tables" in said.getvalue()
    assert "left out: mail.txt › x.exe is a Windows program" in said.getvalue()
    assert "bad.exe" in wrong.getvalue()


def test_the_ingest_command_says_which_engine_is_down(
    owner: User, workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text(NOTE)
    with (
        mock.patch.object(ingesting, "chunks_route", side_effect=EngineUnavailable("No server.")),
        pytest.raises(CommandError, match=r"a\.md: No server\."),
    ):
        call_command("ingest", str(tmp_path), workspace=workspace.slug, user=owner.username)
    assert not DataTable.objects.exists()
