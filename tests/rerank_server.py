"""A small server that speaks `/v1/rerank`: a text scores by the words that it shares with the question."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from engines.language import words

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class RerankServer:
    """`sign` -1 makes the worst text best; `reply` is sent in place of scores; `wait` is in seconds."""

    url: str = ""
    sign: int = 1
    status: int = 200
    wait: float = 0
    reply: Any = None
    favoured: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def scored(self, body: dict[str, Any]) -> dict[str, Any]:
        query = set(words(body["query"]))
        rows = [
            {"index": place, "relevance_score": self.sign * self._score(query, text)}
            for place, text in enumerate(body["documents"])
        ]
        return {"results": sorted(rows, key=lambda row: -row["relevance_score"])}

    def _score(self, query: set[str], text: str) -> float:
        if self.favoured and self.favoured in text:
            return 100.0
        return float(len(query & set(words(text))))


@contextmanager
def rerank_server() -> Iterator[RerankServer]:
    state, ended = RerankServer(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests stay quiet."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append({"path": self.path, **body})
            until = time.monotonic() + state.wait
            while time.monotonic() < until and not ended.wait(0.02):
                pass
            data = json.dumps(
                state.reply if state.reply is not None else state.scored(body)
            ).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
