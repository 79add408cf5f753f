"""What the demo offers, and the headless walk over it that `make demo CHECK=1` takes."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests

from retrieval.views import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK_NAME = "polyrag_check.csv"
CHECK_FILE = (
    "Orchard;Harvest date;Crates\n"
    "Northfield;2025-09-01;120\n"
    "Northfield;2025-09-08;80\n"
    "Westbrook;2025-09-02;45\n"
)
CHECK_QUESTION = "What is the total of crates for Northfield?"
CHECK_ANSWER = "200"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
READ_SECONDS, ANSWER_SECONDS, SECONDS = 600, 60, 30


class CheckFailed(Exception):
    """A step of the walk did not give what it should; the message says which and what it gave."""


@dataclass(slots=True)
class Walk:
    """A person at the pages, without a browser."""

    address: str
    say: Callable[[str], None]

    def run(self, user: str, password: str) -> None:
        with requests.Session() as client:
            self._sign_in(client, user, password)
            self._upload(client)
            self._wait_until_read(client)
            for route, question in EXAMPLES.items():
                self._ask(client, question, route)
            self._ask(client, CHECK_QUESTION, "relational", CHECK_ANSWER)
            self._remove(client)

    def _get(self, client: requests.Session, path: str) -> requests.Response:
        return client.get(self.address + path, timeout=SECONDS)

    def _page(self, client: requests.Session, path: str) -> str:
        reply = self._get(client, path)
        if reply.status_code != 200:
            raise CheckFailed(f"GET {path} answered {reply.status_code}.")
        return str(reply.text)

    def _post(
        self, client: requests.Session, path: str, page: str, **more: Any
    ) -> requests.Response:
        found = TOKEN.search(self._page(client, page))
        if found is None:
            raise CheckFailed(f"{page} has no form.")
        data = {"csrfmiddlewaretoken": found.group(1), **more.pop("data", {})}
        reply = client.post(
            self.address + path,
            data=data,
            headers={"Referer": self.address},
            timeout=SECONDS,
            **more,
        )
        if reply.status_code != 200:
            raise CheckFailed(f"POST {path} answered {reply.status_code}.")
        return reply

    def _sign_in(self, client: requests.Session, user: str, password: str) -> None:
        form = {"username": user, "password": password}
        self._post(client, "/accounts/login/", "/accounts/login/", data=form)
        if "/accounts/login" in self._get(client, "/").url:
            raise CheckFailed("Signing in did not lead to the chat page.")
        self.say("signed in")

    def _upload(self, client: requests.Session) -> None:
        files = {"files": (CHECK_NAME, CHECK_FILE.encode(), "text/csv")}
        self._post(client, "/corpus/upload/", "/corpus/", files=files)
        self.say(f"uploaded {CHECK_NAME}")

    def _wait_until_read(self, client: requests.Session) -> None:
        deadline = time.monotonic() + READ_SECONDS
        while time.monotonic() < deadline:
            held = self._get(client, "/corpus/status.json").json()["documents"]
            failed = [f"{row['name']}: {row['error']}" for row in held if row["state"] == "failed"]
            if failed:
                raise CheckFailed("Not read: " + "; ".join(failed))
            if held and all(row["state"] == "ready" for row in held):
                self.say(f"{len(held)} documents are read")
                return
            time.sleep(1)
        raise CheckFailed(f"The corpus was not read within {READ_SECONDS} s.")

    def _ask(self, client: requests.Session, question: str, route: str, fact: str = "") -> None:
        reply = self._post(client, "/chat/ask/", "/", data={"question": question})
        path = urlsplit(reply.url).path
        deadline = time.monotonic() + ANSWER_SECONDS
        run = self._get(client, f"{path}run.json").json()
        while run["state"] == "running" and time.monotonic() < deadline:
            time.sleep(0.2)
            run = self._get(client, f"{path}run.json").json()
        if run["state"] != "done":
            raise CheckFailed(f"{question} ended as {run['state']}: {run['answer'][:200]}")
        if run["routes"] != [route]:
            raise CheckFailed(f"{question} went to {run['routes']}, not to {route}.")
        if not run["citations"] or fact not in run["answer"]:
            raise CheckFailed(f"{question} was answered without a source: {run['answer'][:200]}")
        self._page(client, f"{path}source/{run['citations'][0]['n']}/")
        if question not in self._page(client, run["trace_url"]).replace("&#x27;", "'"):
            raise CheckFailed(f"The trace of {question} does not show it.")
        self.say(f"{route}: {run['answer'].splitlines()[0][:110]}")

    def _remove(self, client: requests.Session) -> None:
        held = self._get(client, "/corpus/status.json").json()["documents"]
        key = next(row["id"] for row in held if row["name"] == CHECK_NAME)
        self._post(client, f"/corpus/{key}/delete/", "/corpus/")
        self.say(f"removed {CHECK_NAME}")
