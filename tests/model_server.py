"""A small server that speaks the OpenAI protocol, for tests of the real clients."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class ModelServer:
    """`reply(prompt)` writes the answer; `seen` holds the bodies of all requests, in order.

    A message with pictures is answered like one of its words alone; `finish` is the reason that the
    answer ends with, and `web_page` is sent instead of any answer. A stream waits `pace` seconds
    after each word and is cut off at word `broken_at`; `left` counts streams whose reader went away.
    """

    url: str = ""
    dimension: int = 8
    status: int = 200
    broken_stream: bool = False
    counts_stream: bool = True
    reset_stream: bool = False
    finish: str = "stop"
    web_page: str = ""
    refuses_schema: bool = False
    delay: float = 0.0
    pace: float = 0.0
    broken_at: int | None = None
    left: int = 0
    reply: Callable[[str], str] = lambda prompt: "Sim [1]."
    vector: Callable[[str], list[float]] | None = None
    seen: list[dict[str, Any]] = field(default_factory=list)


def generate(settings: Any, url: str) -> None:
    """Let the product of this test write with the model at `url`; none with ""."""
    engines = settings.POLYRAG_ENGINES
    chosen = {"base_url": url, "model": "test-model", "timeout": 5, "context_tokens": 4096}
    settings.POLYRAG_ENGINES = {**engines, "generator": {**engines["generator"], **chosen}}


@contextmanager
def model_server() -> Iterator[ModelServer]:
    state = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests stay quiet."""

        def do_GET(self) -> None:
            if state.web_page:
                self._send(state.web_page.encode(), "text/html")
            else:
                self._json({"object": "list", "data": [{"id": "test-model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.seen.append(body)
            time.sleep(state.delay)
            if state.web_page:
                kind = "application/json" if state.web_page.startswith("{") else "text/html"
                self._send(state.web_page.encode(), kind)
            elif state.refuses_schema and "response_format" in body:
                self._refuse()
            elif state.status != 200:
                self._json({"error": {"message": "no such model"}})
            elif self.path.endswith("/embeddings"):
                self._json(_embeddings(state, body))
            elif body.get("stream"):
                self._stream(state.reply(_asked(body)))
            else:
                self._json(_completion(state.reply(_asked(body)), state.finish))

        def _json(self, value: object) -> None:
            self._send(json.dumps(value).encode(), "application/json")

        def _refuse(self) -> None:
            error = {"error": {"message": "response_format is not known here"}}
            self._send(json.dumps(error).encode(), "application/json", 400)

        def _send(self, data: bytes, kind: str, status: int = 0) -> None:
            self.send_response(status or state.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            if state.reset_stream:  # More is promised than is sent, so the end is a broken one.
                self.send_header("Content-Length", "1000000")
            self.end_headers()
            for number, word in enumerate(text.split(" ")):
                if number == state.broken_at:
                    self.wfile.flush()
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                try:
                    self._piece({"content": word + " "}, None)
                except ConnectionError:
                    state.left += 1
                    return
                time.sleep(state.pace)
            if not state.broken_stream and not state.reset_stream:
                self._piece({}, "stop")
                if state.counts_stream:
                    self._counted()
                self.wfile.write(b"data: [DONE]\n\n")

        def _counted(self) -> None:
            usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
            event = {"id": "x", "object": "chat.completion.chunk", "choices": [], "usage": usage}
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

        def _piece(self, delta: dict[str, str], reason: str | None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            event = {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def _embeddings(state: ModelServer, body: dict[str, Any]) -> dict[str, Any]:
    def plain(text: str) -> list[float]:
        return [float(1 + (len(text) * (i + 1)) % 7) for i in range(state.dimension)]

    make = state.vector or plain
    rows = [
        {"object": "embedding", "index": i, "embedding": make(text)}
        for i, text in enumerate(body["input"])
    ]
    # A server may answer out of order; the index says which is which.
    return {"object": "list", "model": body["model"], "data": rows[::-1]}


def _asked(body: dict[str, Any]) -> str:
    """The words of the last message, pictures beside them left out."""
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _completion(text: str, finish: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "x",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
    }
