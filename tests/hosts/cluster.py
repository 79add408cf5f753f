"""The product on several hosts: PostgreSQL, Redis, two webs, two workers, and a person who looks on."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import shutil
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from polyrag_site.postgres.account import run_as, server_account
from polyrag_site.postgres.launcher import _binary
from tests.hosts.net import NET, Host, hosts
from tests.live import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WEB_PORT = 9400
LEASE = 6


@dataclass(slots=True)
class Cluster:
    at: dict[str, Host]
    folder: Path
    env: dict[str, str]
    token: str = ""
    cookie: str = ""
    # Where another port than the webs' is asked, and under which path.
    doors: dict[str, tuple[int, str]] = field(default_factory=dict)

    def door(self, name: str) -> tuple[str, int, str]:
        return (self.at[name].address, *self.doors.get(name, (WEB_PORT, "")))

    def web(self, name: str, script: str = "") -> None:
        command = [sys.executable, "-m", "daphne", "-b", "0.0.0.0", "-p", str(WEB_PORT)]
        extra = {"FORCE_SCRIPT_NAME": script} if script else {}
        command += ["polyrag_site.asgi:application"]
        self.at[name].run("web", command, {**self.env, **extra})

    def worker(self, name: str) -> None:
        self.at[name].run("worker", [sys.executable, "manage.py", "worker"], self.env)

    def redis(self) -> None:
        command = ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no", "--save", ""]
        self.at["redis"].run("redis", [*command, "--dir", str(self.folder)])

    def call(
        self,
        web: str,
        method: str,
        path: str,
        body: bytes | None = None,
        seconds: float = 60,
        **headers: str,
    ) -> tuple[int, bytes]:
        """One request of the person to a web host, under the token. Raises OSError where nobody answers."""
        to, port, under = self.door(web)
        made = http.client.HTTPConnection(to, port, timeout=seconds)
        made.sock = self.at["person"].connected(to, port, seconds)
        sent = {"Authorization": f"Bearer {self.token}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            made.request(method, under + path, body, sent)
            reply = made.getresponse()
            return reply.status, reply.read()
        finally:
            made.close()

    def api(self, web: str, method: str, path: str, **said: Any) -> Any:
        body = json.dumps(said).encode() if said else None
        status, got = self.call(
            web, method, f"/api/v1{path}", body, Content_Type="application/json"
        )
        assert status < 300, got
        return json.loads(got)

    def upload(self, web: str, name: str, text: str) -> str:
        """The key of the document."""
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = f"{head}{text}\r\n--{edge}--\r\n".encode()
        kind = f"multipart/form-data; boundary={edge}"
        status, got = self.call(web, "POST", "/api/v1/documents", body, Content_Type=kind)
        assert status == 201, got
        return str(json.loads(got)["document"]["id"])

    def socket(self, web: str, path: str) -> ClientConnection:
        to, port, under = self.door(web)
        return connect(
            f"ws://{to}:{port}{under}{path}",
            sock=self.at["person"].connected(to, port),
            additional_headers={"Cookie": f"sessionid={self.cookie}"},
            origin=Origin(f"http://{to}:{port}"),
            open_timeout=20,
            proxy=None,
            legacy=True,
        )

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Asked on the database's own host, past every cable."""
        with psycopg.connect(
            host=str(self.folder / "s"), dbname="polyrag", user="postgres", autocommit=True
        ) as asked:
            return asked.execute(statement, values).fetchall()

    def serves(self, web: str) -> bool:
        try:
            return self.call(web, "GET", "/accounts/login/", seconds=5)[0] == 200
        except OSError:
            return False

    def wait_serving(self, web: str, seconds: float = 180) -> None:
        wait_until(lambda: self.serves(web), f"{web}: {self.at[web].said()}", seconds, 0.5)

    def state(self, document: str, web: str = "web2") -> str:
        return str(self.api(web, "GET", f"/documents/{document}/status")["state"])


def postgres_start(host: Host, folder: Path) -> None:
    """A server with TCP on the host's own address, under an account that is not root."""
    account = server_account()
    data, sockets = folder / "pg", folder / "s"
    for made in (data, sockets):
        made.mkdir(mode=0o700)
        shutil.chown(made, account.uid, account.gid)
    command = [str(_binary("initdb")), "-D", str(data), "-U", "postgres", "--encoding=UTF8"]
    command += ["-A", "trust", "--no-sync", "--locale-provider=builtin"]
    done = run_as(account, [*command, "--builtin-locale=C.UTF-8"], 60)
    assert done.returncode == 0, done.stderr
    (data / "pg_hba.conf").write_text(f"local all all trust\nhost all all {NET}.0/24 trust\n")
    command = ["setpriv", "--reuid", str(account.uid), "--regid", str(account.gid)]
    command += ["--clear-groups", str(_binary("postgres")), "-D", str(data), "-k", str(sockets)]
    host.run("postgres", [*command, "-h", host.address, "-c", "max_connections=200"], folder=data)

    def open_() -> bool:
        assert host.processes["postgres"].poll() is None, host.said()
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(host=str(sockets), dbname="postgres", user="postgres").close()
            return True
        return False

    wait_until(open_, "PostgreSQL")
    with psycopg.connect(
        host=str(sockets), dbname="postgres", user="postgres", autocommit=True
    ) as made_by:
        made_by.execute("CREATE ROLE polyrag LOGIN CREATEDB CREATEROLE")
        made_by.execute("CREATE DATABASE polyrag OWNER polyrag")
    with psycopg.connect(
        host=str(sockets), dbname="polyrag", user="postgres", autocommit=True
    ) as made_by:
        made_by.execute("CREATE EXTENSION vector")


def _seed(cluster: Cluster) -> None:
    host = cluster.at["web1"]
    host.run("seed", [sys.executable, "-m", "tests.hosts.seed"], cluster.env)
    assert host.processes.pop("seed").wait(300) == 0, host.said()
    said = re.search(r"^SEED (.*)$", host.log.read_text(), re.MULTILINE)
    assert said, host.said()
    seed = json.loads(said[1])
    cluster.token, cluster.cookie = seed["token"], seed["cookie"]


@contextlib.contextmanager
def cluster(folder: Path, logs: Path) -> Iterator[Cluster]:
    """All hosts up. `folder` is what they have in common (files, as on NFS)."""
    numbers = {"db": 1, "redis": 2, "web1": 11, "web2": 12, "work1": 21, "work2": 22, "person": 31}
    numbers |= {"web3": 13, "proxy": 41}
    folder.chmod(0o711)
    with hosts(logs, **numbers) as at:
        env = {
            "DATABASE_URL": f"postgresql://polyrag@{at['db'].address}/polyrag",
            "REDIS_URL": f"redis://{at['redis'].address}:6379/0",
            "POLYRAG_DATA_DIR": str(folder / "data"),
            "SECRET_KEY": "of-the-tests-" + uuid.uuid4().hex,
            "ALLOWED_HOSTS": ",".join(host.address for host in at.values()),
            "POLYRAG_WORKERS": "1",
            "POLYRAG_LEASE_SECONDS": str(LEASE),
            "POLYRAG_RATE_PER_TOKEN": "0",
            "POLYRAG_RATE_PER_ADDRESS": "0",
            "PYTHONUNBUFFERED": "1",
        }
        made = Cluster(at, folder, env)
        postgres_start(at["db"], folder)
        made.redis()
        _seed(made)
        for name in ("web1", "web2"):
            made.web(name)
        for name in ("work1", "work2"):
            made.worker(name)
        for name in ("web1", "web2"):
            made.wait_serving(name)
        yield made


def events(socket: ClientConnection, seconds: float = 60.0) -> Iterator[dict[str, Any]]:
    """What a run's socket gives, beats left out, until it is closed."""
    from websockets.exceptions import ConnectionClosed

    until = time.monotonic() + seconds
    with contextlib.suppress(ConnectionClosed):
        while time.monotonic() < until:
            told = json.loads(socket.recv(timeout=max(0.1, until - time.monotonic())))
            if told["kind"] != "beat":
                yield told
