"""What a power cut leaves: killed workers and a killed database server, in the middle of a reading."""

from __future__ import annotations

import os
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from django.utils import timezone

from corpus.chunking import chunk
from corpus.models import Chunk, DataTable, Document, DocumentVersion, VersionState
from corpus.parsing import parse_file
from polyrag_site.postgres import ServerInfo, ensure_running, stop
from tests import live
from tests.factories import ingest, make_user, make_workspace, upload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from teams.models import User

PARTS = 64
MANUAL = "# Manual\n\n" + "\n\n".join(
    f"## Kiln {n}\n\nKiln {n} is fired to {900 + n} degrees for {n} hours. Its door is opened by the "
    f"keeper of row {n}, who writes the time into book {n} and signs it."
    for n in range(PARTS)
)
# Vectors that are made anew leave time to cut the reading off.
SLOW = {"POLYRAG_EMBEDDING_CACHE": ""}
SALES = "Region;Revenue\n" + "".join(f"Region {n};{n}\n" for n in range(40))


def passages(folder: Path) -> list[str]:
    """The texts that a reading without any accident finds."""
    path = folder / "fresh.md"
    path.write_text(MANUAL)
    return [draft.text for draft in chunk(parse_file(path, kind="md", name="manual.md"))]


@pytest.fixture
def owner(
    settings: Any, own_files: Path, transactional_db: None, django_db_serialized_rollback: None
) -> Iterator[User]:
    settings.MEDIA_ROOT = own_files / "files"
    yield make_user()
    live.workspaces_drop()


def test_a_worker_killed_in_mid_reading_costs_nothing_and_doubles_nothing(
    owner: User, own_files: Path
) -> None:
    workspace = make_workspace(owner)
    expected = passages(own_files)
    assert len(expected) >= 60
    env = live.environment(own_files, POLYRAG_LEASE_SECONDS="2")
    manual = upload(workspace, owner, "manual.md", MANUAL)
    sales = upload(workspace, owner, "sales.csv", SALES)
    held = Chunk.objects.filter(version=manual.version)

    with live.worker({**env, **SLOW}, own_files) as first:
        live.wait_until(lambda: held.count() >= 16, "the first passages", every=0.01)
        first.kill()
    manual.version.refresh_from_db()
    assert manual.version.state == VersionState.READING
    standing = dict(held.values_list("position", "pk"))
    assert 16 <= len(standing) < len(expected)
    manual.document.refresh_from_db()
    assert manual.document.current is None

    # A worker looks for what a dead one left when it starts; by then the lease has run out.
    live.wait_until(lambda: _lease_over(manual.version), "the end of the lease")
    with live.worker(env, own_files):
        for done in (manual, sales):
            live.wait_until(lambda done=done: _ready(done.version), done.document.name)  # type: ignore[misc]

    after = dict(held.values_list("position", "pk"))
    assert list(held.order_by("position").values_list("text", flat=True)) == expected
    assert sorted(after) == list(range(len(expected)))
    # What was committed before the cut was not read a second time.
    assert {place: after[place] for place in standing} == standing
    assert Chunk.objects.filter(document=manual.document).count() == len(expected)
    assert DocumentVersion.objects.filter(document=manual.document).count() == 1
    assert Document.objects.get(pk=manual.document.pk).current == manual.version
    table = DataTable.objects.get(document=sales.document)
    assert table.rows == 40


def _lease_over(version: DocumentVersion) -> bool:
    version.refresh_from_db()
    return version.lease_until is None or version.lease_until < timezone.now()


def _ready(version: DocumentVersion) -> bool:
    version.refresh_from_db()
    assert version.state != VersionState.FAILED, version.error
    return bool(version.state == VersionState.READY)


def test_a_replacement_cut_off_leaves_the_old_version_in_service(
    owner: User, own_files: Path
) -> None:
    workspace = make_workspace(owner)
    old = ingest(workspace, owner, "manual.md", "# Manual\n\nThe old kiln is fired with wood.\n")
    served = old.current
    assert served is not None
    env = live.environment(own_files, POLYRAG_LEASE_SECONDS="2")
    new = upload(workspace, owner, "manual.md", MANUAL)
    held = Chunk.objects.filter(version=new.version)
    with live.worker({**env, **SLOW}, own_files) as first:
        live.wait_until(lambda: held.count() >= 8, "the first passages", every=0.01)
        first.kill()

    old.refresh_from_db()
    assert old.current == served
    assert Chunk.objects.get(version=served).text.endswith("fired with wood.")

    live.wait_until(lambda: _lease_over(new.version), "the end of the lease")
    with live.worker(env, own_files):
        live.wait_until(lambda: _ready(new.version), "the new version")
    old.refresh_from_db()
    assert old.current == new.version
    assert not Chunk.objects.filter(document=old).exclude(version=new.version).exists()


# The whole server, over a data folder of its own.


@contextmanager
def data_folder() -> Iterator[Path]:
    """A folder that the server's account can reach, unlike pytest's own 0700 ones."""
    with tempfile.TemporaryDirectory(prefix="polyrag-cut-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        stop(folder / "postgres")


def rows(info: ServerInfo, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(info.dsn()) as connection:
        return connection.execute(statement).fetchall()


MAKE_PEOPLE = (
    "from teams.models import User; from teams.services import workspace_create; "
    "user = User.objects.create_user('demo'); workspace_create(name='Demo', owner=user, slug='demo')"
)


def test_a_killed_database_server_leaves_a_reading_that_is_finished_later(
    tmp_path: Path, settings: Any
) -> None:
    expected = passages(tmp_path)
    source = tmp_path / "sources"
    source.mkdir()
    (source / "manual.md").write_text(MANUAL)
    (source / "sales.csv").write_text(SALES)
    with data_folder() as folder:
        info = ensure_running(folder / "postgres")
        env = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
        env |= {
            "POLYRAG_DATA_DIR": str(folder),
            "POLYRAG_LEASE_SECONDS": "1",
            "POLYRAG_EMBEDDING_CACHE": settings.EMBEDDING_CACHE_DIR,
        }
        _manage(["migrate", "-v0", "--no-input"], env, tmp_path)
        _manage(["shell", "-v0", "-c", MAKE_PEOPLE], env, tmp_path)

        command = ["manage.py", "ingest", str(source)]
        with live.running(command, {**env, **SLOW}, tmp_path / "first.log") as first:
            live.wait_until(lambda: _counted(info) >= 16, "the first passages", every=0.02)
            pid = int((folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])
            os.kill(pid, signal.SIGKILL)
            assert first.process.wait(timeout=live.SECONDS) != 0
        again = ensure_running(folder / "postgres")
        standing = dict(rows(again, "SELECT position, id FROM corpus_chunk ORDER BY position"))
        assert 16 <= len(standing) < len(expected)

        live.wait_until(
            lambda: (
                not rows(again, "SELECT 1 FROM corpus_documentversion WHERE lease_until > now()")
            ),
            "the end of the lease",
        )
        _manage(["ingest", str(source)], env, tmp_path)

        held = rows(
            again,
            "SELECT position, text, corpus_chunk.id FROM corpus_chunk JOIN corpus_document d"
            " ON d.id = document_id AND d.name = 'manual.md' ORDER BY position",
        )
        assert [text for _, text, _ in held] == expected
        assert [place for place, _, _ in held] == list(range(len(expected)))
        now = {place: key for place, _, key in held}
        assert {place: now[place] for place in standing} == standing
        assert rows(
            again,
            "SELECT d.name, v.state, v.id = d.current_id FROM corpus_documentversion v"
            " JOIN corpus_document d ON d.id = v.document_id ORDER BY d.name",
        ) == [("manual.md", "ready", True), ("sales.csv", "ready", True)]
        assert rows(again, "SELECT title, rows FROM corpus_datatable") == [("sales", 40)]


def _counted(info: ServerInfo) -> int:
    return int(rows(info, "SELECT count(*) FROM corpus_chunk")[0][0])


def _manage(arguments: list[str], env: dict[str, str], folder: Path) -> None:
    with live.running(["manage.py", *arguments], env, folder / "manage.log") as started:
        assert started.process.wait(timeout=live.SECONDS) == 0, started.said()
