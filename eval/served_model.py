"""A model server on a real socket, for evaluations: it says what a function says, at a pace of its own."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reply = Callable[[str, str], str]


@dataclass(slots=True)
class Served:
    """Where the server listens, and the bodies of the requests that came."""

    url: str = ""
    seen: list[dict[str, Any]] = field(default_factory=list)


class Quiet(ThreadingHTTPServer):
    # Fifty people at once are fifty connections at once.
    request_queue_size = 128


@contextlib.contextmanager
def model_served(reply: Reply, *, thinking: float = 0.0, pace: float = 0.0) -> Iterator[Served]:
    """Serve `/v1/chat/completions`, whole or streamed; `reply(system, user)` writes the answers.

    `thinking` is how many seconds pass before the first word, `pace` how many after each.
    """
    state = Served()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """An evaluation prints its own lines alone."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.seen.append(body)
            said = {item["role"]: str(item["content"]) for item in body["messages"]}
            text = reply(said.get("system", ""), said["user"])
            time.sleep(thinking)
            self.send_response(200)
            if body.get("stream"):
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self._stream(text)
                return
            data = json.dumps(_whole(text)).encode()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, text: str) -> None:
            pieces = text.split(" ") if pace else [text]
            for number, piece in enumerate(pieces):
                delta = {"content": piece if number + 1 == len(pieces) else f"{piece} "}
                self._send({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                time.sleep(pace)
            self._send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self._send({"choices": [], "usage": USAGE})
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, event: dict[str, Any]) -> None:
            whole = {"id": "x", "object": "chat.completion.chunk", **event}
            self.wfile.write(f"data: {json.dumps(whole)}\n\n".encode())

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _whole(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "x", "object": "chat.completion", "usage": USAGE, "choices": [choice]}
