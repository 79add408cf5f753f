"""`manage.py watch`: it follows a folder, waits for what is away, and stops when it is told to."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from corpus.watching import FolderGone, Watched
from tests import live
from tests.corpus.stores import NOTE, names
from tests.factories import make_user, make_workspace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "watched"
    made.mkdir()
    return made


def test_the_command_brings_a_folder_up_to_date_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    (folder / "a.md").write_text(NOTE)
    call_command(
        "watch",
        str(folder),
        workspace=workspace.slug,
        user=owner.username,
        steady=0.05,
        once=True,
    )
    assert names(owner, workspace) == ["a.md"]
    assert "a.md: new" in capsys.readouterr().out
    with pytest.raises(CommandError, match="not a folder"):
        call_command("watch", str(folder / "nowhere"))


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_the_command_follows_until_it_is_told_to_stop(own_files: Path, folder: Path) -> None:
    owner = make_user()
    workspace = make_workspace(owner)
    command = ["manage.py", "watch", str(folder), "--steady", "0.4"]
    command += ["--workspace", workspace.slug, "--user", owner.username]

    def held() -> list[str]:
        return names(owner, workspace)

    try:
        with live.running(command, live.environment(own_files), own_files / "watch.log") as started:
            live.wait_until(lambda: "Following" in started.said(), "the start")
            (folder / "a.md").write_text(NOTE)
            live.wait_until(lambda: held() == ["a.md"], "the new file")
            (folder / "a.md").rename(folder / "b.md")
            live.wait_until(lambda: held() == ["b.md"], "the new name")
            (folder / "b.md").unlink()
            live.wait_until(lambda: held() == [], "the end of the file")
            os.kill(started.process.pid, signal.SIGTERM)
            assert started.process.wait(timeout=10) == 0
            assert started.said().rstrip().endswith("Stopped.")
    finally:
        live.workspaces_drop()


def test_a_database_that_is_away_is_waited_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = make_user()
    named = {"workspace": make_workspace(owner).slug, "user": owner.username, "steady": 0.01}
    away = OperationalError("server closed the connection")
    with (
        mock.patch.object(Watched, "step", side_effect=[away, True, False]) as step,
        mock.patch("corpus.management.commands.watch.connection") as connection,
    ):
        call_command("watch", str(folder), once=True, **named)
    # A broken connection is thrown away, so that the next look makes a new one.
    assert connection.close.called
    assert step.call_count == 3
    assert "The database does not answer: server closed" in capsys.readouterr().out

    gone = FolderGone("It is not there.")
    with mock.patch.object(Watched, "step", side_effect=gone), pytest.raises(CommandError):
        call_command("watch", str(folder), once=True, **named)
    assert "Nothing is concluded" in capsys.readouterr().out
