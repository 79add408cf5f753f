from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from polyrag_site.postgres import PostgresError, ServerInfo, ensure_running, is_running, stop
from polyrag_site.postgres.account import require_reach, server_account

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A folder that the server's account can reach, unlike pytest's own 0700 ones."""
    with tempfile.TemporaryDirectory(prefix="polyrag test ") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "postgres"
        stop(Path(folder) / "postgres")


def postmaster_pid(data_dir: Path) -> int:
    return int((data_dir / "postmaster.pid").read_text().splitlines()[0])


def count_rows(info: ServerInfo) -> int:
    with psycopg.connect(info.dsn()) as connection:
        row = connection.execute("SELECT count(*) FROM kept").fetchone()
    assert row
    return int(row[0])


def test_four_processes_that_start_at_once_share_one_server(data_dir: Path) -> None:
    def start(_: int) -> str:
        command = [sys.executable, "-m", "polyrag_site.postgres", "start", str(data_dir)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(start, range(4)))

    assert len(answers) == 1
    assert is_running(data_dir)


def test_nothing_committed_is_lost_when_the_server_is_killed(data_dir: Path) -> None:
    info = ensure_running(data_dir)
    with psycopg.connect(info.dsn(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept SELECT generate_series(1, 500)")
    pid = postmaster_pid(data_dir)
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text():
        time.sleep(0.01)

    again = ensure_running(data_dir)

    assert count_rows(again) == 500


def test_a_pid_file_that_names_another_process_is_not_believed(data_dir: Path) -> None:
    info = ensure_running(data_dir)
    stop(data_dir)
    pid_file = data_dir / "postmaster.pid"
    pid_file.write_text(f"{os.getpid()}\n{data_dir}\n0\n5432\n{info.socket_dir}\n\n\n")

    ensure_running(data_dir)

    assert is_running(data_dir)
    assert postmaster_pid(data_dir) != os.getpid()


def test_the_application_role_is_no_superuser_and_has_the_vector_extension(data_dir: Path) -> None:
    info = ensure_running(data_dir)
    with psycopg.connect(info.dsn()) as connection:
        row = connection.execute(
            "SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),"
            " (SELECT extname FROM pg_extension WHERE extname = 'vector'),"
            " current_setting('listen_addresses')"
        ).fetchone()

    assert row == (False, "vector", "")


def test_an_interrupted_first_start_is_made_anew(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "half-made").touch()

    ensure_running(data_dir)

    assert is_running(data_dir)


def test_stopping_twice_says_that_nothing_ran(data_dir: Path) -> None:
    ensure_running(data_dir)

    assert stop(data_dir) is True
    assert stop(data_dir) is False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to another account")
def test_a_closed_parent_folder_is_named_in_the_error() -> None:
    with (
        tempfile.TemporaryDirectory() as closed,
        pytest.raises(PostgresError, match=closed),
    ):
        require_reach(Path(closed) / "inside", server_account())
