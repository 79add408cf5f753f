"""A streaming replica of the server that the tests run on, as a process of its own."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from django.db import connection

from polyrag_site.postgres.account import run_as, server_account
from polyrag_site.postgres.launcher import SUPERUSER, _binary

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT = "5439"


@contextlib.contextmanager
def standby() -> Iterator[dict[str, Any]]:
    """Django's settings of the replica's connection."""
    held = connection.settings_dict
    account = server_account()
    folder = Path(tempfile.mkdtemp(prefix="standby-", dir="/tmp"))
    folder.chmod(0o711)
    data, sockets = folder / "data", folder / "s"
    for made in (data, sockets):
        made.mkdir(mode=0o700)
        if account.switch:
            shutil.chown(made, account.uid, account.gid)
    hba = Path(_setting("hba_file"))
    before = hba.read_text()
    hba.write_text(before + "local replication all trust\n")
    _reload()
    source = f"host={held['HOST']} port={held['PORT'] or 5432} user={SUPERUSER}"
    try:
        copy = [str(_binary("pg_basebackup")), "-D", str(data), "-R", "-c", "fast", "-X", "stream"]
        done = run_as(account, [*copy, "-d", source], 120)
        assert done.returncode == 0, done.stderr
        start = [str(_binary("pg_ctl")), "start", "-w", "-D", str(data), "-l", str(data / "log")]
        done = run_as(account, [*start, "-o", f"-k {sockets} -p {PORT}"], 60)
        assert done.returncode == 0, done.stderr
        yield {**held, "HOST": str(sockets), "PORT": PORT}
    finally:
        run_as(account, [str(_binary("pg_ctl")), "stop", "-D", str(data), "-m", "immediate"], 60)
        hba.write_text(before)
        _reload()
        shutil.rmtree(folder, ignore_errors=True)


def superuser(settings: dict[str, Any]) -> psycopg.Connection[Any]:
    return psycopg.connect(
        host=settings["HOST"],
        port=settings["PORT"],
        dbname="postgres",
        user=SUPERUSER,
        autocommit=True,
    )


def _setting(name: str) -> str:
    with superuser(connection.settings_dict) as asked:
        row = asked.execute("SELECT current_setting(%s)", [name]).fetchone()
    assert row
    return str(row[0])


def _reload() -> None:
    with superuser(connection.settings_dict) as asked:
        asked.execute("SELECT pg_reload_conf()")
