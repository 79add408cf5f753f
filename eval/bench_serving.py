"""How soon a person sees something: a real web process, real sockets, and a model server of known pace."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import requests
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from eval.served_model import model_served
from eval.socket_client import Event, follow
from retrieval.models import CachedAnswer
from teams.models import Role, User
from teams.services import membership_set
from telemetry.models import Trace
from telemetry.names import TERMINAL_EVENTS, EventKind, SpanName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from teams.models import Workspace

HOST = "127.0.0.1"
START_SECONDS, ANSWER_SECONDS = 120.0, 300.0
THINKING, PACE = 0.2, 0.02
ANSWER = "The sources say this [1] and it is told at the pace at which the model server speaks."
NAME = "bench-answering"


class NotServed(Exception):
    """The web process did not start, or a person got an error; the message says which."""


@dataclass(frozen=True, slots=True)
class Seen:
    """When a person saw what, in seconds since they sent the question. None: not at all."""

    decided: float | None
    first: float | None
    ended: float
    kind: str
    cached: bool
    # What embedding the question took within the same run.
    embedding: float | None


@dataclass(slots=True)
class Person:
    """Somebody with a browser's session and a form's token."""

    address: str
    cookie: str
    http: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.http.cookies.set(settings.SESSION_COOKIE_NAME, self.cookie)

    def send(self, question: str) -> str:
        """Ask by the page's own form; gives the run's path."""
        page = self.http.get(f"{self.address}/", timeout=60)
        _good(page, 200)
        form = {"question": question, "csrfmiddlewaretoken": self.http.cookies["csrftoken"]}
        place = f"{self.address}/chat/ask/"
        reply = self.http.post(
            place, form, headers={"Referer": place}, timeout=60, allow_redirects=False
        )
        _good(reply, 302)
        return reply.headers["Location"]

    async def ask(self, question: str) -> Seen:
        """Ask and watch by the socket until the run ends."""
        started = time.monotonic()
        path = await asyncio.to_thread(self.send, question)
        run = path.rstrip("/").rsplit("/", 1)[1]
        cookie = f"{settings.SESSION_COOKIE_NAME}={self.cookie}"
        url = f"{self.address.replace('http', 'ws')}/ws/runs/{run}/"
        async with asyncio.timeout(ANSWER_SECONDS):
            events = await follow(url, cookie, self.address, TERMINAL_EVENTS, started)
        return _seen(events)


def _good(reply: requests.Response, status: int) -> None:
    if reply.status_code != status:
        raise NotServed(f"{reply.url} answered {reply.status_code}.")


def _seen(events: Sequence[Event]) -> Seen:
    def at(kind: str) -> float | None:
        return next((event.at for event in events if event.kind == kind), None)

    spans = events[-1].payload.get("spans", [])
    decided = [event.payload for event in events if event.kind == EventKind.ROUTE_DECIDED]
    return Seen(
        at(EventKind.ROUTE_DECIDED),
        next((event.at for event in events if event.payload.get("written")), None),
        events[-1].at,
        events[-1].kind,
        any(payload.get("cached") for payload in decided),
        next((s["duration_ms"] / 1000 for s in spans if s["name"] == SpanName.EMBED), None),
    )


def serving_figures(
    workspace: Workspace, asked: Sequence[str], *, people: int, folder: Path
) -> dict[str, Any]:
    """Times of one person, each in embeddings of a question as they took there, then of `people` at once.

    `asked` are different questions; every person asks one of them. Whatever was made for it is removed.
    """
    with (
        model_served(lambda system, user: ANSWER, thinking=THINKING, pace=PACE) as model,
        _sessions(workspace, people) as cookies,
        _web(model.url, folder) as address,
    ):
        persons = [Person(address, cookie) for cookie in cookies]
        return asyncio.run(_measured(persons, asked, workspace))


async def _measured(
    persons: Sequence[Person], asked: Sequence[str], workspace: Workspace
) -> dict[str, Any]:
    one = persons[0]
    await one.ask(asked[0])  # The process is warm when the first person of a day has asked.
    await asyncio.to_thread(_forget, workspace)
    alone = [await one.ask(text) for text in asked]
    again = [await one.ask(text) for text in asked]
    kept = [seen.ended for seen in again if seen.cached]
    await asyncio.to_thread(_forget, workspace)
    started = time.monotonic()
    crowd = [person.ask(asked[at % len(asked)]) for at, person in enumerate(persons)]
    found = await asyncio.gather(*crowd, return_exceptions=True)
    took = time.monotonic() - started
    errors = [item for item in found if not isinstance(item, Seen) or item.kind != "run.finished"]
    ended = [item.ended for item in found if isinstance(item, Seen)]
    one_embedding = _median([seen.embedding for seen in alone])
    written = [seen.first for seen in alone if seen.first is not None]
    return {
        "embedding_ms": one_embedding * 1000,
        "decision_vs_embedding": _median([s.decided for s in alone]) / one_embedding,
        "first_token_beyond_vs_embedding": (_median(written) - THINKING) / one_embedding,
        "first_tokens": len(written),
        "cache_hit_vs_embedding": _median(kept) / one_embedding,
        "cache_hits": len(kept),
        "answer_vs_embedding": _median([seen.ended for seen in alone]) / one_embedding,
        "people": len(persons),
        "people_errors": len(errors),
        "people_error_kinds": sorted({_kind(item) for item in errors}),
        "people_vs_one_after_the_other": took / (len(persons) * _median([s.ended for s in alone])),
        "people_p95_vs_alone": quantiles(ended, n=20)[-1] / _median([s.ended for s in alone])
        if len(ended) > 1
        else None,
    }


def _kind(item: Seen | BaseException) -> str:
    return item.kind if isinstance(item, Seen) else f"{type(item).__name__}: {item}"[:120]


def _median(values: Sequence[float | None]) -> float:
    held = [value for value in values if value is not None]
    return median(held) if held else float("nan")


def _forget(workspace: Workspace) -> None:
    CachedAnswer.objects.in_workspace(workspace).delete()


@contextlib.contextmanager
def _sessions(workspace: Workspace, count: int) -> Iterator[list[str]]:
    """Cookies of `count` readers of the workspace, who go again with what they asked."""
    users = []
    stores = []
    try:
        for number in range(count):
            user = User.objects.create(username=f"{NAME}-{time.time_ns()}-{number}")
            users.append(user)
            membership_set(workspace=workspace, user=user, role=Role.READER)
            store = SessionStore()
            store[SESSION_KEY] = str(user.pk)
            store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
            store[HASH_SESSION_KEY] = user.get_session_auth_hash()
            store["workspace"] = str(workspace.pk)
            store.create()
            stores.append(store)
        yield [str(store.session_key) for store in stores]
    finally:
        for store in stores:
            store.delete()
        Trace.objects.filter(user__in=users).delete()
        _forget(workspace)
        for user in users:
            user.delete()


@contextlib.contextmanager
def _web(model_url: str, folder: Path) -> Iterator[str]:
    """A web process of the product on the same database, its generator at `model_url`."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    address = f"http://{HOST}:{port}"
    env = {
        **os.environ,
        "GENERATOR_URL": model_url,
        "GENERATOR_MODEL": "bench",
        "POLYRAG_EMBEDDING_CACHE": "",
    }
    command = [sys.executable, "-m", "daphne", "-b", HOST, "-p", str(port)]
    log = folder / "web.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603
            [*command, "polyrag_site.asgi:application"],
            cwd=settings.BASE_DIR,
            env=env,
            stdout=output,
            stderr=output,
        )
    try:
        _wait(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NotServed(f"The web process ended: {log.read_text(errors='replace')[-600:]}")
        try:
            requests.get(f"{address}/accounts/login/", timeout=5)
        except requests.ConnectionError:
            time.sleep(0.1)
            continue
        return
    raise NotServed(f"The web process did not serve a page within {START_SECONDS:.0f} s.")
