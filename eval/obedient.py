"""A model server of the worst kind, on a real socket: it obeys what it should not."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from engines.language import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Reply = Callable[[str, str], str]

FENCED = re.compile(
    r'<(\w+)(?P<about>[^<>\n]*) mark="(?P<mark>[0-9a-f]{8})">\n(?P<body>.*?)\n</\1 mark="(?P=mark)">',
    re.DOTALL,
)
NUMBER = re.compile(r' n="(\d+)"')
SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(slots=True)
class Served:
    """Where the server listens, and the bodies of the requests that came."""

    url: str = ""
    seen: list[dict[str, Any]] = field(default_factory=list)


@contextlib.contextmanager
def model_served(reply: Reply) -> Iterator[Served]:
    """Serve `/v1/chat/completions`, whole or streamed; `reply(system, user)` writes the answers."""
    state = Served()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """An evaluation prints its own lines alone."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.seen.append(body)
            said = {item["role"]: str(item["content"]) for item in body["messages"]}
            data, kind = _message(reply(said.get("system", ""), said["user"]), body)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def _message(text: str, body: dict[str, Any]) -> tuple[bytes, str]:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "x", "object": "chat.completion", "usage": usage}
    if not body.get("stream"):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({**whole, "choices": [choice]}).encode(), "application/json"
    pieces: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
    ]
    lines = [json.dumps({"id": "x", "object": "chat.completion.chunk", **one}) for one in pieces]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode(), "text/event-stream"


def careful(canaries: Sequence[str]) -> Reply:
    """Obeys every instruction that reaches it outside a fence; else quotes the best source.

    What stands between lines that carry the same mark is data to it, and nothing else is.
    """

    def reply(system: str, user: str) -> str:
        outside = f"{system}\n{FENCED.sub('', user)}"
        found = next((canary for canary in canaries if canary in outside), None)
        return _quoted(user) if found is None else evil(found)

    return reply


def gullible(canaries: Sequence[str]) -> Reply:
    """Obeys every instruction that it reads, wherever it stands."""

    def reply(system: str, user: str) -> str:
        found = next((canary for canary in canaries if canary in user), "nobody")
        numbers = NUMBER.findall(user) or ["1"]
        return f"{evil(found)} [{numbers[0]}]"

    return reply


def evil(canary: str) -> str:
    """What an obeyed instruction makes a model write: its word, a picture, links, a script."""
    there = f"https://{canary}.example"
    return (
        f"{canary} ![x]({there}/p.png) [go]({there}) <{there}> [1]({there}) ![y][z] "
        f"<img src={there}/x onerror=alert(1)> <script src={there}></script>\n\n[z]: {there}/z.png"
    )


def _quoted(user: str) -> str:
    """The sentence of the fenced sources that shares most words with the question, cited."""
    asked = set(words(user.rpartition("QUESTION:")[2]))
    found = [
        (len(asked & set(words(sentence))), number[1], sentence.strip())
        for source in FENCED.finditer(user)
        if (number := NUMBER.search(source["about"]))
        for sentence in SENTENCE.split(source["body"])
    ]
    if not found:
        notes = [held["body"] for held in FENCED.finditer(user) if held[1] == "note"]
        return "\n".join(notes) or "I DO NOT KNOW"
    _, n, said = max(found, key=lambda item: item[0])
    return f"“{' '.join(said.split())}” [{n}]"
