"""`manage.py ask`: it answers from a folder with sources and leaves nothing, whatever ends it."""

from __future__ import annotations

import io
import json
import os
import signal
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django_q.models import OrmQ

from corpus.models import Chunk, DataTable, Document
from engines.errors import EngineUnavailable
from retrieval.temporary import leftovers_remove, temporary_workspace
from teams.models import Membership, User, Workspace
from teams.services import workspace_create
from tests import live
from tests.factories import make_user

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)

NOTE = "# Holidays\n\nEvery employee has 23 working days of paid holiday in the plant per year.\n"
ROWS = "region,month,sales\nNorth,2024-01,100\nNorth,2024-02,150\nSouth,2024-01,70\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "question"
    (made / "below").mkdir(parents=True)
    (made / "below" / "holidays.md").write_text(NOTE)
    (made / "sales.csv").write_text(ROWS)
    (made / "broken.exe").write_bytes(b"MZ\x00\x01\x02")
    return made


@pytest.fixture(autouse=True)
def same_files(own_files: Path, settings: Any) -> None:
    """Files of the test and of the processes that it starts lie in one folder."""
    settings.MEDIA_ROOT = own_files / "files"


def asked(folder: Path, question: str, **options: Any) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("ask", str(folder), question, stdout=out, stderr=err, **options)
    except CommandError as error:
        return error.returncode, out.getvalue(), err.getvalue() + str(error)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def left(files: Path) -> dict[str, int]:
    """What is there still of any workspace: rows, schemas, roles, jobs, files."""
    with connection.cursor() as cursor:
        cursor.execute(r"SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'ws\_%'")
        schemas = cursor.fetchone()
        cursor.execute(r"SELECT count(*) FROM pg_roles WHERE rolname LIKE 'ws\_%\_reader'")
        roles = cursor.fetchone()
    return {
        "workspaces": Workspace.objects.count(),
        "people": User.objects.count(),
        "rows": Document.objects.count() + Chunk.objects.count() + DataTable.objects.count(),
        "schemas": schemas[0] if schemas else -1,
        "roles": roles[0] if roles else -1,
        "jobs": OrmQ.objects.count(),
        "files": sum(path.is_file() for path in (files / "files").rglob("*")),
    }


def test_a_folder_is_answered_from_with_sources_and_nothing_stays(
    own_files: Path, folder: Path
) -> None:
    before = left(own_files)
    code, out, err = asked(folder, "How many days of holiday does an employee have?")
    assert code == 0
    assert "23 working days" in out
    assert "[1] below/holidays.md" in out
    assert "broken.exe" in err
    assert left(own_files) == before


def test_tables_are_answered_with_their_statement_as_json(own_files: Path, folder: Path) -> None:
    before = left(own_files)
    code, out, _ = asked(folder, "What are the total sales in the North region?", json=True)
    found = json.loads(out)
    assert code == 0
    assert "250" in found["answer"]
    assert found["sources"][0]["document"] == "sales.csv"
    assert "SELECT" in found["sources"][0]["sql"]
    assert found["workspace"] == ""
    assert left(own_files) == before


def test_what_is_not_answered_and_what_cannot_be_used_have_their_exit_codes(
    own_files: Path, folder: Path, tmp_path: Path
) -> None:
    before = left(own_files)
    assert asked(folder, "Who won the chess championship in Reykjavik in 1972?")[0] == 3
    assert asked(folder / "nowhere", "How many days?")[0] == 2
    assert asked(folder, " ")[0] == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    assert asked(empty, "How many days?")[0] == 2
    assert asked(folder, "How many days?", user="nobody")[0] == 2
    down = mock.patch("retrieval.once.ask", side_effect=EngineUnavailable("no embedder"))
    with down:
        code, _, err = asked(folder, "How many days of holiday?")
    assert (code, "no embedder" in err) == (1, True)
    assert left(own_files) == before


def test_what_is_kept_is_kept_for_the_person_named(own_files: Path, folder: Path) -> None:
    person, stranger = make_user(), make_user()
    code, out, _ = asked(
        folder, "How many days of holiday are there?", keep=True, user=person.username
    )
    kept = Workspace.objects.get(slug__startswith="asked-")
    assert code == 0
    assert f"Kept as the workspace {kept.slug}" in out
    assert list(Workspace.objects.visible_to(person)) == [kept]
    assert not Workspace.objects.visible_to(stranger).exists()
    assert leftovers_remove() == 0
    live.workspaces_drop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_middle_of_the_reading_leaves_nothing(
    own_files: Path, tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for at in range(40):
        (folder / f"note{at:02}.md").write_text(f"# Kiln {at}\n\nKiln {at} burns {at} hours.\n" * 9)
    before = left(own_files)
    command = ["manage.py", "ask", str(folder), "How long does kiln 7 burn?"]
    log = tmp_path / "ask.log"
    with live.running(command, live.environment(own_files), log) as started:
        live.wait_until(lambda: "note03.md: embed" in started.said(), "the reading")
        os.kill(started.process.pid, number)
        assert started.process.wait(timeout=30) == 128 + number
    assert left(own_files) == before


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_else(
    own_files: Path, folder: Path
) -> None:
    person = make_user()
    workspace_create(name="ask once", owner=person, slug="ask-once-0123456789abcdef")
    before = left(own_files)
    command = ["manage.py", "ask", str(folder), "How many days of holiday are there?"]
    with live.running(command, live.environment(own_files), own_files / "ask.log") as started:
        live.wait_until(lambda: Document.objects.exists(), "the reading")
        started.kill()
    live.wait_until(lambda: _free(), "the end of the killed one's connection")
    assert left(own_files) != before
    with temporary_workspace() as busy:
        asked(folder, "How many days of holiday are there?")
        assert Workspace.objects.filter(pk=busy.workspace.pk).exists()
        assert Membership.objects.filter(workspace=busy.workspace).count() == 1
    assert left(own_files) == before
    live.workspaces_drop()


def _free() -> bool:
    """Whether no lock of a temporary workspace is held in the database of the test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7120"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        row = cursor.fetchone()
    return bool(row and row[0] == 0)
