"""Two web hosts, two worker hosts, one PostgreSQL, one Redis, each on a cable that can be cut."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from telemetry.names import TERMINAL_EVENTS
from tests.hosts.net import ROOT, missing
from tests.live import wait_until

pytest.importorskip("channels_redis", reason="needs `make setup-hosts`")
pytest.importorskip("websockets", reason="needs websockets")
if why := missing():
    pytest.skip(why, allow_module_level=True)

from tests.hosts.cluster import WEB_PORT, Cluster, cluster, events

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.hosts
VISITORS = "# Visitors\n\nVisitors of the Tomar plant wear a heliotrope badge.\n"
QUESTION = "Which badge do visitors of the Tomar plant wear?"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="pr9-", dir="/tmp") as folder:
        logs = tmp_path_factory.mktemp("hosts")
        with cluster(Path(folder), logs) as made:
            document = made.upload("web1", "visitors.md", VISITORS)
            wait_until(
                lambda: made.state(document) == "ready",
                f"the first document: {made.at['work1'].said()} {made.at['work2'].said()}",
                180,
                0.5,
            )
            yield made


def numbered(found: list[dict[str, object]]) -> None:
    """Every event of the run once, in order, to the terminal one."""
    assert [event["seq"] for event in found] == list(range(1, len(found) + 1))
    assert found[-1]["kind"] in TERMINAL_EVENTS


def begin(team: Cluster, web: str) -> str:
    return str(team.api(web, "POST", "/ask", question=QUESTION, wait=0)["id"])


def test_what_is_uploaded_and_asked_on_one_web_host_is_seen_on_the_other(team: Cluster) -> None:
    with team.socket("web2", "/ws/corpus/") as corpus:
        document = team.upload("web1", "kiln.md", "# Kiln\n\nKiln F-77 burns wood.\n")
        assert document in str(corpus.recv(timeout=60))
    wait_until(lambda: team.state(document) == "ready", "the reading", 120, 0.5)
    run = begin(team, "web1")
    with team.socket("web2", f"/ws/runs/{run}/?after=0") as socket:
        numbered(list(events(socket)))
    answered = team.api("web2", "GET", f"/runs/{run}")
    assert "heliotrope" in answered["answer"]


def test_a_web_host_that_was_cut_off_goes_on_after_the_last_event_seen(team: Cluster) -> None:
    run = begin(team, "web1")
    socket = team.socket("web2", f"/ws/runs/{run}/?after=0")
    got = [next(events(socket))]
    team.at["web2"].cut()
    try:
        wait_until(
            lambda: team.api("web1", "GET", f"/runs/{run}")["state"] == "done",
            "the answer",
            60,
            0.3,
        )
    finally:
        team.at["web2"].mend()
    # A page notices by the beats that do not come; here it connects again at once.
    threading.Thread(target=socket.close, daemon=True).start()
    team.wait_serving("web2", 60)
    with team.socket("web2", f"/ws/runs/{run}/?after={got[-1]['seq']}") as again:
        got += list(events(again))
    numbered(got)
    assert len(got) > 2


def test_redis_may_be_restarted_while_people_ask(team: Cluster) -> None:
    with team.socket("web2", "/ws/corpus/") as corpus:
        run = begin(team, "web1")
        watching = team.socket("web2", f"/ws/runs/{run}/?after=0")
        team.at["redis"].kill("redis")
        numbered(list(events(watching)))
        second = begin(team, "web1")
        wait_until(
            lambda: team.api("web2", "GET", f"/runs/{second}")["state"] == "done",
            "an answer without Redis",
        )
        document = team.upload("web1", "away.md", "# Away\n\nRedis was away then.\n")
        wait_until(lambda: team.state(document) == "ready", "a reading without Redis", 60, 0.5)
        team.redis()
        # Both sides come back by themselves: an old socket hears of a new document.
        deadline, heard = time.monotonic() + 40, ""
        while not heard:
            assert time.monotonic() < deadline, team.at["web2"].said()
            team.upload("web1", f"back{time.monotonic_ns()}.md", f"# Back\n\n{time.time_ns()}\n")
            try:
                heard = str(corpus.recv(timeout=3))
            except TimeoutError:
                continue
    run = begin(team, "web1")
    with team.socket("web2", f"/ws/runs/{run}/?after=0") as fresh:
        numbered(list(events(fresh)))


def test_a_database_that_was_cut_off_costs_errors_and_no_restart(team: Cluster) -> None:
    assert team.serves("web1")
    team.at["db"].cut()
    began = time.monotonic()
    try:
        status, body = team.call("web1", "GET", "/accounts/login/", seconds=60)
        took = time.monotonic() - began
    finally:
        team.at["db"].mend()
    assert status == 500
    assert b"Try again in a moment" in body
    assert b"psycopg" not in body
    assert took < 40
    for name in ("web1", "web2"):
        team.wait_serving(name, 60)
    document = team.upload("web2", "cut.md", "# Cut\n\nThe cable was pulled and put back.\n")
    wait_until(lambda: team.state(document, "web1") == "ready", "a reading after it", 120, 0.5)
    run = begin(team, "web2")
    with team.socket("web1", f"/ws/runs/{run}/?after=0") as socket:
        numbered(list(events(socket)))


def test_what_a_killed_worker_host_was_reading_is_read_by_the_other_once(team: Cluster) -> None:
    parts = [f"## Kiln {n}\n\nKiln {n} is fired at {900 + n} degrees.\n" for n in range(160)]
    document = team.upload("web1", "kilns.md", "# Kilns\n\n" + "\n".join(parts))
    # Who holds the lease looks after it every second; the other asked last when it read something else.
    held = (
        "SELECT host(client_addr) FROM pg_stat_activity WHERE query LIKE %s"
        " AND host(client_addr) LIKE %s AND query_start > now() - interval '1.2 s'"
        " ORDER BY query_start DESC LIMIT 1"
    )
    by: list[str] = []

    def reading() -> bool:
        rows = team.rows(
            "SELECT done, state FROM corpus_documentversion WHERE document_id = %s", document
        )
        assert rows[0][1] in {"queued", "reading"}, rows
        if rows[0][0] and rows[0][1] == "reading":
            by.extend(row[0] for row in team.rows(held, "%lease_holder%", "%.2_"))
        return bool(by)

    wait_until(reading, "a worker that reads", 60, 0.05)
    holder = next(host for host in team.at.values() if host.address == by[-1])
    other = team.at["work2" if holder.name == "work1" else "work1"]
    holder.cut()
    holder.kill("worker")
    # Nobody renews the lease: the one that read is the one that was killed.
    lapsed = (
        "SELECT state = 'reading' AND lease_until < now() FROM corpus_documentversion"
        " WHERE document_id = %s"
    )
    wait_until(lambda: team.rows(lapsed, document)[0][0], "the lease to lapse", 30, 0.1)
    wait_until(lambda: team.state(document) == "ready", f"the other: {other.said()}", 240, 1.0)
    rows = team.rows(
        "SELECT count(*), count(DISTINCT text) FROM corpus_chunk WHERE document_id = %s", document
    )
    assert rows[0][0] == rows[0][1] >= 160
    assert "read kilns.md" in other.log.read_text()
    assert "read kilns.md" not in holder.log.read_text()
    copies = "SELECT count(*) FROM corpus_documentversion WHERE document_id = %s"
    assert team.rows(copies, document) == [(1,)]
    holder.mend()
    team.worker(holder.name)


@pytest.fixture
def under(team: Cluster) -> Iterator[str]:
    """The host `proxy`: the nginx of `deploy/`, under a part of an address, before a web process there."""
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not installed")
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    for said, meant in (
        ("server web:8000 ", f"server {team.at['web3'].address}:{WEB_PORT} "),
        ("location / {", "location /polyrag/ {"),
    ):
        assert text.count(said) == 1
        text = text.replace(said, meant)
    folder = team.folder / "nginx"
    (folder / "logs").mkdir(parents=True)
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf = folder / "nginx.conf"
    conf.write_text(
        f"user root; pid {folder}/pid; events {{}} http {{ access_log off; {temporary}\n{text}\n}}\n"
    )
    command = [
        "nginx",
        "-e",
        str(folder / "logs" / "error.log"),
        "-p",
        str(folder),
        "-c",
        str(conf),
    ]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stderr
    team.doors["proxy"] = (8080, "/polyrag")
    team.doors["web3"] = (WEB_PORT, "/polyrag")
    team.web("web3", script="/polyrag")
    team.at["proxy"].run("nginx", [*command, "-g", "daemon off;"])
    team.wait_serving("web3")
    team.wait_serving("proxy")
    yield "proxy"
    team.at["proxy"].kill("nginx")
    team.at["web3"].kill("web")


def test_nginx_hands_on_pages_sockets_and_streams_under_a_sub_path(
    team: Cluster, under: str
) -> None:
    _, page = team.call(under, "GET", "/accounts/login/")
    styles = re.findall(rb'href="(/[^"]+\.css)"', page)
    assert styles
    assert all(style.startswith(b"/polyrag/static/") for style in styles)
    path = styles[0].decode().removeprefix("/polyrag")
    assert team.call(under, "GET", path)[0] == 200
    run = begin(team, under)
    with team.socket(under, f"/ws/runs/{run}/?after=0") as socket:
        numbered(list(events(socket)))
    arrived = streamed(team, under)
    assert arrived[-1][1] in TERMINAL_EVENTS
    # Told as it happens: held back by the proxy, all would come at once.
    assert len(arrived) > 2
    assert arrived[-1][0] - arrived[0][0] > 0.05


def streamed(team: Cluster, web: str) -> list[tuple[float, str]]:
    """When each event of a question's stream came, and its name."""
    to, port, path = team.door(web)
    made = http.client.HTTPConnection(to, port, timeout=60)
    made.sock = team.at["person"].connected(to, port, 60)
    sent = {"Authorization": f"Bearer {team.token}", "Accept": "text/event-stream"}
    body = json.dumps({"question": "At how many degrees is kiln 7 fired?"})
    made.request("POST", f"{path}/api/v1/ask", body, {**sent, "Content-Type": "application/json"})
    reply = made.getresponse()
    assert reply.status == 200
    found = []
    while line := reply.readline():
        if line.startswith(b"data:"):
            found.append((time.monotonic(), str(json.loads(line[5:]).get("kind", ""))))
    made.close()
    return found
